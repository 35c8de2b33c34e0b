import type { Reply } from "@perya/client/api";
import { classNames } from "@perya/ui/class-names";
import { ExpandIcon, NoticeIcon } from "@perya/ui/icon";
import { RichContent } from "@perya/ui/rich-content";
import { ListSkeleton } from "@perya/ui/skeleton";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import { useWaitToast } from "../../parts/lists/use-wait-toast.ts";
import { markNoticeRead } from "../../parts/notices/notices.ts";
import { plainText } from "../../parts/notices/plain-text.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./notice-screen.module.css";

type Notice = Reply<"GET /api/v1/notices">["list"][number];

/** The brand's notices; `?index=n` comes with the n-th open, counted from zero. */
export default function NoticeScreen() {
  const { language } = useText();
  const { index } = useSearch({ from: "/m/notice" });
  return <NoticePage notices={useQuery(screenQueries.notices(language))} index={index} />;
}

export interface NoticePageProps {
  notices: UseQueryResult<Reply<"GET /api/v1/notices">>;
  index: number | undefined;
}

/** Notices of any kind, while they load, when they fail, and where none exist. */
export function NoticePage({ notices, index }: NoticePageProps) {
  const { t } = useText();
  const { data, error, refetch, isFetching, isLoading } = notices;
  useWaitToast(isLoading);
  if (error !== null && data === undefined) {
    return <QueryFailed query={{ error, refetch, isFetching }} />;
  }
  if (data === undefined) {
    return (
      <div className={styles.screen}>
        <ListSkeleton label={t("shell.loading")} />
      </div>
    );
  }
  if (data.list.length === 0) {
    return <EmptyScene title={t("home.no_announcement")} text={t("notice.none_text")} />;
  }
  // Another index is another visit, which opens another notice.
  return <Notices key={index} list={data.list} index={index} />;
}

function Notices({ list, index }: { list: readonly Notice[]; index: number | undefined }) {
  const named = index === undefined ? undefined : list[index]?.id;
  const [open, setOpen] = useState(named);
  return (
    <ul className={styles.screen}>
      {list.map((notice) => (
        <Row
          key={notice.id}
          notice={notice}
          open={notice.id === open}
          inSight={notice.id === named}
          onToggle={() => setOpen(notice.id === open ? undefined : notice.id)}
        />
      ))}
    </ul>
  );
}

interface RowProps {
  notice: Notice;
  open: boolean;
  /** The address names it: the page scrolls to it. */
  inSight: boolean;
  onToggle: () => void;
}

function Row({ notice, open, inSight, onToggle }: RowProps) {
  const { t, when } = useText();
  const router = useRouter();
  const id = useId();
  const row = useRef<HTMLLIElement>(null);
  const loggedIn = useSession(({ session }) => session !== null);
  const unread = loggedIn && !notice.read;

  useEffect(() => {
    if (inSight) row.current?.scrollIntoView({ block: "nearest" });
  }, [inSight]);
  // Once per opening: a notice that could not be marked comes back unread.
  const marked = useRef(false);
  useEffect(() => {
    if (open && unread && !marked.current) markNoticeRead(notice.id);
    marked.current = open && (unread || marked.current);
  }, [open, unread, notice.id]);

  return (
    <li ref={row} className={styles.row}>
      <h2 className={styles.head}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={id}
          onClick={onToggle}
        >
          <span className={classNames(styles.bell, unread && styles.unread)}>
            <NoticeIcon size={20} />
          </span>
          <span className={styles.texts}>
            <span className={styles.title}>
              {notice.title}
              {unread && <span className="visually-hidden"> ({t("notice.unread")})</span>}
            </span>
            {!open && <span className={styles.preview}>{plainText(notice.content)}</span>}
            <span className="small-print">{when(notice.startDate)}</span>
          </span>
          <ExpandIcon size={18} className={classNames(styles.chevron, open && styles.turned)} />
        </button>
      </h2>
      <div id={id} hidden={!open}>
        {open && (
          <RichContent
            html={notice.content}
            className={styles.content}
            onInside={(path) => router.history.push(path)}
          />
        )}
      </div>
    </li>
  );
}
