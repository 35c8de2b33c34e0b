import { buttonClass } from "@perya/ui/button";
import { ShareIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { downloadLinks } from "../../parts/brand/download-links.ts";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { useBrand } from "../../shell/page-head.ts";
import type { PopupProps } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./social-popup.module.css";

export interface SocialPopupProps extends PopupProps {
  /** The key among the download links (accounts §3). */
  readonly resourceType: "FACEBOOK" | "TELEGRAM";
  /** The network's own name, the same in every language. */
  readonly name: string;
}

/** What the brand does on a social network, with a link; says so where it has no page there. */
export function SocialPopup({ open, close, resourceType, name }: SocialPopupProps) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const page = downloadLinks(status?.info.resources ?? [])[resourceType];
  const brand = useBrand();
  return (
    <Popup open={open} close={close} title={name}>
      {page === undefined ? (
        <EmptyScene title={t("social.none", { brand, name })} level={3} />
      ) : (
        <div className={styles.panel}>
          <img src="/icons/mark.svg" alt="" width={72} height={72} />
          <p>{t("social.text", { brand, name })}</p>
          <a
            className={buttonClass({ block: true })}
            href={page.url}
            target="_blank"
            rel="noopener noreferrer"
          >
            <ShareIcon size={18} />
            {t("social.open", { name })}
          </a>
        </div>
      )}
    </Popup>
  );
}
