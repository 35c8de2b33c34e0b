import { Badge, type BadgeTone } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { RefreshIcon } from "@perya/ui/icon";
import { Skeleton } from "@perya/ui/skeleton";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import type { PopupProps } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { type MessageId, useText } from "../../shell/text.ts";
import { measureServers, type ServerSpeed, type SpeedMark, timePing } from "./server-speed.ts";
import styles from "./speed-sheet.module.css";

const MARKS: Readonly<Record<SpeedMark, { readonly label: MessageId; readonly tone: BadgeTone }>> =
  {
    fast: { label: "speed.fast", tone: "good" },
    normal: { label: "speed.normal", tone: "warn" },
    slow: { label: "speed.slow", tone: "bad" },
  };

const SKELETON_ROWS = ["1", "2", "3"];

/** The brand's servers by their speed; the player can go on from another. */
export default function SpeedSheet({ open, close }: PopupProps) {
  const { t } = useText();
  const routes = useQuery(screenQueries.domainRoutes());
  const { data: status } = useQuery(queries.status());
  const display = status?.info.speedDisplay ?? "banded";
  const domains = routes.data?.domainList.map(({ domainName }) => domainName);
  const speeds = useQuery({
    queryKey: ["server-speeds", domains, display],
    queryFn:
      domains === undefined
        ? skipToken
        : () => measureServers(domains, { time: timePing, display }),
    // Each opening measures again.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [picked, setPicked] = useState(location.host);
  const failed = routes.error ?? speeds.error;
  const go = () => {
    if (picked === location.host) close();
    else location.assign(`${location.protocol}//${picked}${location.pathname}`);
  };
  return (
    <Sheet
      open={open}
      close={close}
      title={t("speed.title")}
      footer={
        <>
          <Button
            variant="secondary"
            loading={speeds.isFetching}
            icon={<RefreshIcon size={18} />}
            onClick={() => void speeds.refetch()}
          >
            {t("speed.again")}
          </Button>
          <Button onClick={go}>{t("speed.confirm")}</Button>
        </>
      }
    >
      {failed !== null && speeds.data === undefined ? (
        <QueryFailed
          query={{
            error: failed,
            refetch: (routes.data === undefined ? routes : speeds).refetch,
            isFetching: routes.isFetching || speeds.isFetching,
          }}
        />
      ) : speeds.data === undefined ? (
        <div className={styles.list} role="status" aria-busy="true" aria-label={t("shell.loading")}>
          {SKELETON_ROWS.map((row) => (
            <Skeleton key={row} height={52} radius="var(--r-2)" />
          ))}
        </div>
      ) : (
        <div className={styles.list} role="radiogroup" aria-label={t("speed.title")}>
          {speeds.data.map((server) => (
            <Row
              key={server.domainName}
              server={server}
              chosen={server.domainName === picked}
              onChoose={() => setPicked(server.domainName)}
            />
          ))}
        </div>
      )}
    </Sheet>
  );
}

function Row(props: { server: ServerSpeed; chosen: boolean; onChoose: () => void }) {
  const { t, number } = useText();
  const { domainName, shownMs, mark } = props.server;
  const { label, tone } = MARKS[mark];
  return (
    <label className={styles.row}>
      <input
        type="radio"
        name="server"
        value={domainName}
        checked={props.chosen}
        onChange={props.onChoose}
      />
      <span className={styles.name}>
        <bdi translate="no">{domainName}</bdi>
        {domainName === location.host && <small>{t("speed.here")}</small>}
      </span>
      <span className={styles.ms}>{t("speed.ms", { ms: number(shownMs) })}</span>
      <Badge tone={tone}>{t(label)}</Badge>
    </label>
  );
}
