import { Badge } from "@perya/ui/badge";
import { dragScroll } from "@perya/ui/drag-scroll";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { Art } from "../../parts/pictures/art.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import styles from "./live-models.module.css";

/** The dealers on the air now, each linked to her table, in their block on home; else nothing. */
export default function LiveModels() {
  const { t } = useText();
  const { data, error, refetch, isFetching } = useQuery(screenQueries.liveModels());
  if (data?.length === 0) return null;
  return (
    <section className={styles.block} aria-labelledby="home-live-models">
      <SectionHead id="home-live-models" title={t("home.live_models")} />
      {error !== null && data === undefined ? (
        <QueryFailed query={{ error, refetch, isFetching }} />
      ) : data === undefined ? (
        <div className={styles.waiting} />
      ) : (
        <ul ref={dragScroll} className={styles.row} aria-label={t("home.live_models")}>
          {data.map(({ id, name, nodeId, gameName, portraitUrl }) => (
            <li key={id}>
              <Link
                to="/m/launch/$nodeId"
                params={{ nodeId }}
                preload={false}
                className={styles.model}
              >
                <span className={styles.portrait}>
                  <Art src={portraitUrl} width={240} height={300} loading="lazy" />
                  <span className={styles.state}>
                    <Badge tone="hot">{t("home.on_air")}</Badge>
                  </span>
                </span>
                <span className={styles.name}>{name}</span>
                <span className={styles.table}>{gameName}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
