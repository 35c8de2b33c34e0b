import { PageTitleBar } from "@perya/ui/page-title-bar";
import { useMatches } from "@tanstack/react-router";
import { useGoBack } from "../parts/page/header.tsx";
import { FeatureClosed } from "../parts/page/screen-states.tsx";
import { useText } from "../shell/text.ts";

/** A screen that no brand has yet, on a path without the shared header: under its own bar. */
export default function ClosedScreen() {
  const { t } = useText();
  const { title, back } = useMatches().at(-1)?.staticData ?? {};
  const goBack = useGoBack(back);
  return (
    <>
      <PageTitleBar
        title={title !== undefined && t(title)}
        backLabel={t("shell.back")}
        onBack={goBack}
      />
      <FeatureClosed />
    </>
  );
}
