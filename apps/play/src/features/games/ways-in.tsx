import { Button } from "@perya/ui/button";
import { usePopups } from "../../shell/popups.ts";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./ways-in.module.css";

/** A guest's ways into a game: try it for free at once, or log in first. */
export function WaysIn(props: {
  /** The page after the log-in. */
  next: string;
  starting: boolean;
  onTry: () => void;
}) {
  const { next, starting, onTry } = props;
  const { t } = useText();
  const popups = usePopups();
  const shows = useShows();
  return (
    <>
      {shows("/m/trail") && (
        <Button size="lg" block glow loading={starting} onClick={onTry}>
          {t("auth.trial")}
        </Button>
      )}
      <div className={styles.pair}>
        <Button variant="secondary" onClick={() => popups.open("login", { next })}>
          {t("auth.login")}
        </Button>
        <Button variant="secondary" onClick={() => popups.open("register", { next })}>
          {t("auth.register")}
        </Button>
      </div>
    </>
  );
}
