import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { RefreshIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { EmptyArt } from "../parts/empty-art.tsx";
import { Frame } from "./frame.tsx";
import { queries } from "./server.ts";
import styles from "./site.module.css";
import { systemStatus } from "./system-status.ts";
import { type MessageId, useText } from "./text.ts";

/** How often a closed site asks whether it is open again, in milliseconds. */
const REOPENING_MS = 30_000;
/** The first screen comes first; the status that it was made with is no older than this. */
const LISTEN_AFTER_MS = 1_500;

// Without its code the page says what it says, and a bet that flies comes down by itself.
const OpenBets = lazy(() => import("./open-bets.tsx").catch(() => ({ default: () => null })));

const REASONS: Readonly<Record<1 | 2, { title: MessageId; text: MessageId }>> = {
  1: { title: "error.maintenance_title", text: "error.upgrading" },
  2: { title: "error.denied_title", text: "error.ip_restricted" },
};

/** The whole site, or why it is closed: then no screen and no address gets past this. */
export function Site() {
  const { data } = useQuery(queries.status());
  useSiteLine();
  const status = data === undefined ? 0 : systemStatus(data);
  return status === 0 ? <Frame /> : <Closed status={status} address={data?.location.ip ?? ""} />;
}

/** Closes an open page, and opens a closed one, as soon as the server says so. */
function useSiteLine(): void {
  useEffect(() => {
    let leave = () => clearTimeout(listening);
    const listening = setTimeout(() => {
      let left = false;
      leave = () => {
        left = true;
      };
      // Without its code the page learns of it by its next call.
      const followed = import("./site-line.ts").then(({ followSite }) => {
        if (!left) leave = followSite();
      });
      followed.catch(() => undefined);
    }, LISTEN_AFTER_MS);
    return () => leave();
  }, []);
}

function Closed({ status, address }: { status: 1 | 2; address: string }) {
  const { t } = useText();
  const { refetch, isFetching } = useQuery({ ...queries.status(), refetchInterval: REOPENING_MS });
  const { title, text } = REASONS[status];
  useEffect(() => {
    document.title = `${t(title)} · Perya`;
  }, [t, title]);
  return (
    <main className={styles.closed}>
      <EmptyState
        level={1}
        art={<EmptyArt scene={status === 1 ? "maintenance" : "error"} />}
        title={t(title)}
        text={t(text)}
        action={
          <Button
            variant="secondary"
            loading={isFetching}
            icon={<RefreshIcon size={18} aria-hidden="true" />}
            onClick={() => void refetch()}
          >
            {t("shell.retry")}
          </Button>
        }
      />
      {status === 1 && (
        <Suspense>
          <OpenBets />
        </Suspense>
      )}
      {/* What customer service asks for; the page's own data comes without it. */}
      {status === 2 && address !== "" && (
        <p className={styles.address}>{t("error.your_ip", { ip: address })}</p>
      )}
    </main>
  );
}
