import { buttonClass } from "@perya/ui/button";
import { ExpandIcon, FeedbackIcon } from "@perya/ui/icon";
import { RichContent } from "@perya/ui/rich-content";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useDebounced } from "../../parts/browser/use-debounced.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { RECHECK_MS } from "../../shell/timing.ts";
import styles from "./help.module.css";

const SKELETON_ROWS = ["1", "2", "3", "4", "5", "6"];

/** The brand's help, one entry open at a time, which the address names. */
export default function HelpScreen() {
  const { t, language } = useText();
  const asked = useDebounced(language, RECHECK_MS);
  const help = useQuery(screenQueries.help(asked));
  return (
    <div className={styles.screen}>
      {help.data === undefined ? (
        help.isError ? (
          <QueryFailed query={help} />
        ) : (
          <div className={styles.entries} role="status" aria-label={t("shell.loading")}>
            {SKELETON_ROWS.map((row) => (
              <Skeleton key={row} height={56} radius="var(--r-3)" />
            ))}
          </div>
        )
      ) : help.data.entries.length === 0 ? (
        <EmptyScene title={t("help.none")} text={t("help.none_text")} />
      ) : (
        <Accordion entries={help.data.entries} />
      )}
      <section className={styles.more}>
        <h2>{t("help.more")}</h2>
        <p>{t("help.more_text")}</p>
        <Link
          to="/m/feedback"
          preload={false}
          className={buttonClass({ variant: "secondary", block: true })}
        >
          <FeedbackIcon size={18} />
          {t("feedback.title")}
        </Link>
      </section>
    </div>
  );
}

interface Entry {
  readonly tag: string;
  readonly title: string;
  readonly content: string;
}

function Accordion({ entries }: { entries: readonly Entry[] }) {
  const { tag } = useSearch({ from: "/m/help" });
  const navigate = useNavigate();
  const popups = usePopups();
  const toggle = (opened: string) =>
    void navigate({
      to: "/m/help",
      search: opened === tag ? {} : { tag: opened },
      replace: true,
      resetScroll: false,
    });
  return (
    <div className={styles.entries}>
      {entries.map((entry) => (
        <EntryRow
          key={entry.tag}
          title={entry.title}
          open={entry.tag === tag}
          onToggle={() => toggle(entry.tag)}
        >
          <RichContent html={entry.content} onInside={popups.leaveTo} />
        </EntryRow>
      ))}
    </div>
  );
}

function EntryRow(props: {
  title: string;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}) {
  const { title, open, onToggle, children } = props;
  const id = useId();
  const row = useRef<HTMLHeadingElement>(null);
  // An entry above may have closed and shortened the page, or a link led far down the page.
  useEffect(() => {
    if (open) row.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  return (
    <article className={styles.entry}>
      <h2 ref={row} className={styles.title}>
        <button
          type="button"
          id={id}
          aria-expanded={open}
          aria-controls={`${id}-text`}
          onClick={onToggle}
        >
          {title}
          <ExpandIcon className={styles.chevron} size={20} />
        </button>
      </h2>
      <section id={`${id}-text`} aria-labelledby={id} className={styles.text} hidden={!open}>
        {open && children}
      </section>
    </article>
  );
}
