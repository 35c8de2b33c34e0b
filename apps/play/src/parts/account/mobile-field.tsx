import { TextField, type TextFieldProps } from "@perya/ui/field";
import { ExpandIcon } from "@perya/ui/icon";
import { useState } from "react";
import { sayFault } from "../../shell/fault.ts";
import { lazyPart, Part } from "../../shell/lazy-part.tsx";
import { useText } from "../../shell/text.ts";
import { useHashSheet } from "../browser/use-hash-sheet.ts";
import { MOBILE_INPUT_MAX } from "./account-rules.ts";
import styles from "./country.module.css";
import type { CountryChoice } from "./use-country.ts";

const Flag = lazyPart(() => import("../pictures/flag.tsx"));
const CountrySheet = lazyPart(() => import("./country-sheet.tsx"));

/** A mobile number with the dialling code of its country before it. */
export function MobileField({
  choice,
  ...input
}: { choice: CountryChoice } & Omit<TextFieldProps, "leading" | "type">) {
  const { t } = useText();
  const sheet = useHashSheet("country");
  const [wanted, setWanted] = useState(false);
  if (sheet.open && !wanted) setWanted(true);
  const { country } = choice;
  return (
    <>
      <TextField
        {...input}
        type="tel"
        inputMode="tel"
        autoComplete="tel-national"
        maxLength={MOBILE_INPUT_MAX}
        leading={
          <button
            type="button"
            className={styles.pick}
            disabled={country === null}
            aria-label={t("auth.country_pick", { code: country?.dialingCode ?? "" })}
            aria-haspopup="dialog"
            onClick={sheet.show}
          >
            <Part waiting={<span className={styles.flag} />}>
              {country !== null && <Flag code={country.code} />}
            </Part>
            {country?.dialingCode}
            <ExpandIcon size={16} />
          </button>
        }
      />
      {wanted && (
        <Part
          turn={Number(sheet.open)}
          onFault={(error) => {
            sheet.close();
            sayFault(error);
          }}
        >
          <CountrySheet open={sheet.open} close={sheet.close} choice={choice} />
        </Part>
      )}
    </>
  );
}
