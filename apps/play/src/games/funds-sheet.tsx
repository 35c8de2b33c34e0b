import { Button, buttonClass } from "@perya/ui/button";
import { Link } from "@tanstack/react-router";
import { usePopups } from "../shell/popups.ts";
import { isTrial, useSession } from "../shell/session.ts";
import { Sheet } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import { useShows } from "../shell/use-shows.ts";
import type { SheetProps } from "./info-sheet.tsx";
import styles from "./sheets.module.css";

/** Shown when the balance does not cover the stake: what the player can do. */
export function FundsSheet({ open, close }: SheetProps) {
  const { t } = useText();
  const popups = usePopups();
  const shows = useShows();
  const trial = isTrial(useSession((held) => held.session));
  const lower = (
    <Button variant="secondary" onClick={close}>
      {t("games.lower_stake")}
    </Button>
  );
  return (
    <Sheet
      open={open}
      close={close}
      title={t("games.funds_title")}
      footer={
        trial ? (
          <>
            {lower}
            <Button onClick={() => popups.open("register")}>{t("games.register")}</Button>
          </>
        ) : (
          <>
            {lower}
            {shows("/m/voucherCenter") && (
              <Link to="/m/voucherCenter" className={buttonClass({ block: true })}>
                {t("games.deposit")}
              </Link>
            )}
          </>
        )
      }
    >
      <p className={styles.lead}>{t(trial ? "games.funds_trial" : "games.funds_text")}</p>
      {trial && (
        <button
          type="button"
          className={buttonClass({ variant: "ghost", block: true })}
          onClick={() => popups.open("login")}
        >
          {t("games.login")}
        </button>
      )}
    </Sheet>
  );
}
