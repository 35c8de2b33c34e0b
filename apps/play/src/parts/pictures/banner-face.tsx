import type { Reply } from "@perya/client/api";
import { Link } from "@tanstack/react-router";
import { plainText } from "../notices/plain-text.ts";
import { Art } from "./art.tsx";
import styles from "./banner-face.module.css";

type Banner = Reply<"GET /api/v1/announcements">["banners"][number];

/** A banner: its drawn background with real text on it; a link where it leads into the app. */
export function BannerFace(props: { banner: Banner; first: boolean; still?: boolean }) {
  const { banner, first, still = false } = props;
  const content = (
    <>
      <Art
        src={`/art/banner/${encodeURIComponent(banner.scene)}.svg`}
        width={720}
        height={300}
        fetchPriority={first ? "high" : "low"}
        className={styles.ground}
      />
      <span className={styles.words}>
        <strong className={styles.title}>{banner.title}</strong>
        <span className={styles.line}>{plainText(banner.content)}</span>
      </span>
    </>
  );
  if (!still && banner.url.startsWith("/m/")) {
    return (
      <Link to={banner.url} preload={false} className={styles.face}>
        {content}
      </Link>
    );
  }
  return <div className={styles.face}>{content}</div>;
}
