import { Button } from "@perya/ui/button";
import { CheckboxField } from "@perya/ui/field";
import { RichContent } from "@perya/ui/rich-content";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { arePopupsHidden, hidePopupsToday } from "../../parts/notices/hidden-today.ts";
import { markNoticeRead } from "../../parts/notices/notices.ts";
import { Art } from "../../parts/pictures/art.tsx";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { api, queries } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./login-popup.module.css";

/** The brand's pop-ups after a log-in, one after the other, once a day if the player so wishes. */
export default function LoginPopup({ open, close }: PopupProps) {
  const { t, language } = useText();
  const popups = usePopups();
  const { data } = useQuery(queries.loginPopups(language));
  const { data: status } = useQuery(queries.status());
  const [at, setAt] = useState(0);
  const [hidden, setHidden] = useState(false);
  const list = data?.list ?? [];
  const zone = status?.info.zone;
  // The address outlives the hiding: a reload, or the browser's forward button.
  const [sentAway] = useState(() => zone !== undefined && arePopupsHidden(api.serverNow(), zone));
  const shown = sentAway ? undefined : list[at];

  useEffect(() => {
    if (sentAway) close();
  }, [sentAway, close]);

  useEffect(() => {
    if (shown !== undefined && !shown.read) markNoticeRead(shown.id);
  }, [shown]);

  if (shown === undefined) return null;
  const image = shown.announcementImages.find(({ sequence }) => sequence === 1);
  return (
    <Popup
      open={open}
      close={close}
      title={shown.title}
      footer={
        <div className={styles.foot}>
          <CheckboxField
            label={t("notice.hide_today")}
            checked={hidden}
            disabled={zone === undefined}
            onChange={({ target }) => {
              if (zone === undefined) return;
              setHidden(target.checked);
              hidePopupsToday(api.serverNow(), zone, target.checked);
            }}
          />
          {at < list.length - 1 ? (
            <Button block onClick={() => setAt(at + 1)}>
              {t("notice.next", { position: at + 2, total: list.length })}
            </Button>
          ) : (
            <Button block onClick={() => close()}>
              {t("shell.close")}
            </Button>
          )}
        </div>
      }
    >
      {image !== undefined && (
        <Art src={image.url} width={720} height={300} className={styles.image} />
      )}
      <RichContent html={shown.content} onInside={popups.leaveTo} />
    </Popup>
  );
}
