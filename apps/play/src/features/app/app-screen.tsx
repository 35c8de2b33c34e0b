import { PageTitleBar } from "@perya/ui/page-title-bar";
import { useGoBack } from "../../parts/page/header.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./app-screen.module.css";
import { InstallPanel } from "./install-panel.tsx";

/** Download and install, without the shared header and the tabs (games §2.1). */
export default function AppScreen() {
  const { t } = useText();
  const goBack = useGoBack(undefined);
  return (
    <>
      <PageTitleBar title={t("app.title")} backLabel={t("shell.back")} onBack={goBack} />
      <div className={styles.screen}>
        <InstallPanel />
      </div>
    </>
  );
}
