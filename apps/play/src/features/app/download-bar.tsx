import { readStorage, writeStorage } from "@perya/client/browser-storage";
import { buttonClass, IconButton } from "@perya/ui/button";
import { CloseIcon } from "@perya/ui/icon";
import { useState } from "react";
import { runsInBrowser } from "../../shell/install-prompt.ts";
import { useBrand } from "../../shell/page-head.ts";
import { PopupLink } from "../../shell/popup-link.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./download-bar.module.css";

const HIDDEN_KEY = "MC_DOWNLOAD_BAR_HIDDEN";

/** Above home's tabs until the player closes it; never shown in the installed app (games §2.2). */
export default function DownloadBar() {
  const { t } = useText();
  const [shown, setShown] = useState(() => runsInBrowser() && !wasHidden());
  const brand = useBrand();
  if (!shown) return null;
  const hide = () => {
    writeStorage("localStorage", HIDDEN_KEY, "1");
    setShown(false);
  };
  return (
    <aside className={styles.bar} aria-label={t("app.title")}>
      <IconButton label={t("app.hide")} onClick={hide}>
        <CloseIcon size={18} />
      </IconButton>
      <img src="/icons/mark.svg" alt="" width={32} height={32} />
      <p>{t("app.bar", { brand })}</p>
      <PopupLink pop="download" className={buttonClass({ variant: "secondary", size: "sm" })}>
        {t("app.install_short")}
      </PopupLink>
    </aside>
  );
}

function wasHidden(): boolean {
  return readStorage("localStorage", HIDDEN_KEY) !== null;
}
