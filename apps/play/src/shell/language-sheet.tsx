import { CheckIcon } from "@perya/ui/icon";
import { Sheet } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import styles from "./language-sheet.module.css";
import type { PopupDoor } from "./popup-host.tsx";
import { queries } from "./server.ts";
import { languageName, switchLanguage, useText } from "./text.ts";

/** The brand's languages by their own names; the page changes at once. */
export default function LanguageSheet({ open, close }: PopupDoor) {
  const { t, language } = useText();
  const { data: status } = useQuery(queries.status());
  const languages = status?.info.languages ?? ["TY", "EN"];
  return (
    <Sheet
      open={open}
      onOpenChange={close}
      title={t("shell.language")}
      closeLabel={t("shell.close")}
    >
      <div className={styles.list} role="radiogroup" aria-label={t("shell.language")}>
        {languages.map((code) => (
          <label key={code} className={styles.row}>
            <input
              type="radio"
              name="language"
              value={code}
              checked={code === language}
              onChange={() => void switchLanguage(code)}
            />
            <span>{languageName(code)}</span>
            {code === language && <CheckIcon size={20} aria-hidden="true" />}
          </label>
        ))}
      </div>
    </Sheet>
  );
}
