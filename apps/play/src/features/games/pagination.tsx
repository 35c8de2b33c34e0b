import { classNames } from "@perya/ui/class-names";
import { BackIcon, ForwardIcon } from "@perya/ui/icon";
import { useText } from "../../shell/text.ts";
import { pageSlots } from "./page-slots.ts";
import styles from "./pagination.module.css";

export function Pagination(props: {
  page: number;
  totalPages: number;
  onPage: (page: number) => void;
}) {
  const { page, totalPages, onPage } = props;
  const { t } = useText();
  const go = (to: number) => {
    if (to !== page && to >= 1 && to <= totalPages) onPage(to);
  };
  return (
    <nav className={styles.pages} aria-label={t("shell.pages")}>
      <button
        type="button"
        className={styles.slot}
        aria-label={t("shell.previous_page")}
        disabled={page <= 1}
        onClick={() => go(page - 1)}
      >
        <BackIcon size={18} />
      </button>
      {pageSlots(page, totalPages).map((slot) =>
        typeof slot === "number" ? (
          <button
            key={slot}
            type="button"
            className={classNames(styles.slot, slot === page && styles.current)}
            aria-label={t("shell.page", { page: slot })}
            aria-current={slot === page ? "page" : undefined}
            onClick={() => go(slot)}
          >
            {slot}
          </button>
        ) : (
          <span key={slot} className={styles.gap} aria-hidden="true">
            …
          </span>
        ),
      )}
      <button
        type="button"
        className={styles.slot}
        aria-label={t("shell.next_page")}
        disabled={page >= totalPages}
        onClick={() => go(page + 1)}
      >
        <ForwardIcon size={18} />
      </button>
    </nav>
  );
}
