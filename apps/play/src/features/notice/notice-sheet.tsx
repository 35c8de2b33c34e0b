import { EmptyState } from "@perya/ui/empty-state";
import { RichContent } from "@perya/ui/rich-content";
import { Sheet } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import { EmptyArt } from "../../parts/empty-art.tsx";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./notice-sheet.module.css";

/** One notice of the brand; `id` counts from zero in the order of the ticker. */
export default function NoticeSheet({ open, close, id }: PopupDoor) {
  const { t, language, when } = useText();
  const popups = usePopups();
  const { data } = useQuery(queries.announcements(language));
  const notice = data?.player[Number(id)];
  return (
    <Sheet
      open={open}
      onOpenChange={close}
      title={notice?.title ?? t("home.announcements")}
      closeLabel={t("shell.close")}
    >
      {notice === undefined ? (
        <EmptyState
          art={<EmptyArt scene="no-data" />}
          title={t("home.no_announcement")}
          level={3}
        />
      ) : (
        <>
          <p className={styles.date}>{when(notice.startDate)}</p>
          <RichContent html={notice.content} onInside={popups.leaveTo} className={styles.text} />
        </>
      )}
    </Sheet>
  );
}
