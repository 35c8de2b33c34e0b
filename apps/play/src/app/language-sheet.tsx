import { TextField } from "@perya/ui/field";
import { CheckIcon, SearchIcon } from "@perya/ui/icon";
import { useMemo, useState } from "react";
import Flag from "../parts/pictures/flag.tsx";
import { sayFault } from "../shell/fault.ts";
import { findLanguages, LANGUAGES, type Language } from "../shell/languages.ts";
import type { PopupProps } from "../shell/popups.ts";
import { Sheet } from "../shell/sheet.tsx";
import { hasTexts, switchLanguage, useText } from "../shell/text.ts";
import styles from "./language-sheet.module.css";

/** Every language by its own name and flag; the page changes at once. */
export default function LanguageSheet({ open, close }: PopupProps) {
  const { t, tag } = useText();
  const [typed, setTyped] = useState("");
  const nameOf = useMemo(() => {
    const names = new Intl.DisplayNames([tag], { type: "language" });
    return (of: string) => names.of(of) ?? of;
  }, [tag]);
  const found = findLanguages(LANGUAGES, typed, nameOf);
  const groups = [
    { label: t("shell.languages_whole"), languages: found.filter(({ code }) => hasTexts(code)) },
    { label: t("shell.languages_more"), languages: found.filter(({ code }) => !hasTexts(code)) },
  ];
  return (
    <Sheet open={open} close={close} title={t("shell.language")}>
      <div className={styles.search}>
        <TextField
          label={t("shell.language_search")}
          leading={<SearchIcon size={20} />}
          type="search"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          maxLength={60}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <div className={styles.list} role="radiogroup" aria-label={t("shell.language")}>
        {groups.map(
          ({ label, languages }) =>
            languages.length > 0 && (
              <div key={label} className={styles.group}>
                <p className={styles.label}>{label}</p>
                {languages.map((one) => (
                  <Row key={one.code} language={one} name={nameOf(one.tag)} chosen={close} />
                ))}
              </div>
            ),
        )}
        {found.length === 0 && <p className={styles.none}>{t("shell.language_none")}</p>}
      </div>
    </Sheet>
  );
}

/** @param props.name in the reader's own language */
function Row(props: { language: Language; name: string; chosen: () => void }) {
  const { code, tag, name, flag, dir } = props.language;
  const { language } = useText();
  return (
    <label className={styles.row}>
      <input
        type="radio"
        className="tap-area"
        name="language"
        value={code}
        checked={code === language}
        onChange={() => void switchLanguage(code).catch(sayFault)}
        // The arrow keys choose too, and the sheet stays open for more.
        onClick={({ detail }) => detail > 0 && props.chosen()}
      />
      <Flag code={flag} />
      <span className={styles.names}>
        <bdi lang={tag} dir={dir}>
          {name}
        </bdi>
        {props.name !== name && <small>{props.name}</small>}
      </span>
      {code === language && <CheckIcon size={20} />}
    </label>
  );
}
