import { TextField } from "@perya/ui/field";
import { SearchIcon } from "@perya/ui/icon";
import { useMemo, useState } from "react";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import Flag from "../pictures/flag.tsx";
import styles from "./country.module.css";
import { byName, findCountries } from "./country-search.ts";
import type { CountryChoice } from "./use-country.ts";

export default function CountrySheet(props: {
  open: boolean;
  close: () => void;
  choice: CountryChoice;
}) {
  const { open, close, choice } = props;
  const { t, tag } = useText();
  const [typed, setTyped] = useState("");
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    // A player who opens it again wants another country.
    if (open) setTyped("");
  }
  const { countries } = choice;
  const { nameOf, sorted } = useMemo(() => {
    const names = new Intl.DisplayNames([tag], { type: "region" });
    const nameOf = (code: string) => names.of(code) ?? code;
    return { nameOf, sorted: byName(countries, tag, nameOf) };
  }, [tag, countries]);
  const found = findCountries(sorted, typed, nameOf);
  return (
    <Sheet open={open} close={close} title={t("auth.country")}>
      <div className={styles.search}>
        <TextField
          label={t("auth.country_search")}
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
      <div className={styles.list}>
        {found.map(({ code, dialingCode }) => (
          <button
            key={code}
            type="button"
            className={styles.row}
            aria-current={code === choice.country?.code}
            onClick={() => {
              choice.choose(code);
              close();
            }}
          >
            <Flag code={code} />
            <span className={styles.name}>{nameOf(code)}</span>
            <span className={styles.code}>{dialingCode}</span>
          </button>
        ))}
        {found.length === 0 && <p className={styles.none}>{t("auth.country_none")}</p>}
      </div>
    </Sheet>
  );
}
