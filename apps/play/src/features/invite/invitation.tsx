import { Button, IconButton } from "@perya/ui/button";
import { CopyIcon, ShareIcon } from "@perya/ui/icon";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { copyText } from "../../parts/browser/copy-text.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { Art } from "../../parts/pictures/art.tsx";
import { useBrand } from "../../shell/page-head.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./invitation.module.css";

/** The player's own invitation code and the link that carries it to a friend. */
export function Invitation() {
  const { t } = useText();
  const { data, error, refetch, isFetching } = useQuery(screenQueries.invitation());
  const { data: status } = useQuery(queries.status());
  const brand = useBrand();
  if (error !== null && data === undefined) {
    return <QueryFailed query={{ error, refetch, isFetching }} />;
  }
  if (data === undefined) return <ListSkeleton count={4} label={t("shell.loading")} />;
  const message = { title: brand, text: t("invite.message", { brand }), url: data.url };
  return (
    <div className={styles.screen}>
      <section className={styles.card} aria-labelledby="invite-title">
        <Art src="/art/banner/welcome.svg" width={600} height={350} />
        <h2 id="invite-title">{t("invite.heading")}</h2>
        <p>{t("invite.text")}</p>
        <div className={styles.code}>
          <span>
            <small>{t("invite.code")}</small>
            <b translate="no">{data.code}</b>
          </span>
          <IconButton label={t("invite.copy_code")} onClick={() => void copyText(data.code)}>
            <CopyIcon size={20} />
          </IconButton>
        </div>
        <div className={styles.code}>
          <span>
            <small>{t("invite.link")}</small>
            <span className={styles.link} translate="no">
              {data.url}
            </span>
          </span>
          <IconButton label={t("invite.copy_link")} onClick={() => void copyText(data.url)}>
            <CopyIcon size={20} />
          </IconButton>
        </div>
        {"share" in navigator && (
          <Button
            size="lg"
            block
            icon={<ShareIcon size={18} />}
            onClick={() => void share(message)}
          >
            {t("invite.share")}
          </Button>
        )}
      </section>
      <ol className={styles.steps}>
        <li>{t("invite.step_send")}</li>
        <li>{t("invite.step_register")}</li>
        <li>{t("invite.step_play", { age: status?.info.minimumAge ?? 21 })}</li>
      </ol>
    </div>
  );
}

/** It is no failure if the player closes the phone's own sheet without a choice. */
async function share(message: ShareData): Promise<void> {
  try {
    await navigator.share(message);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError"))
      await copyText(`${message.url}`);
  }
}
