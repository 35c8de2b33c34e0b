import { Button } from "@perya/ui/button";
import { RefreshIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyScene } from "../parts/pictures/empty-art.tsx";
import { useOwnTitle } from "../shell/page-head.ts";
import { queries } from "../shell/server.ts";
import { type MessageId, useText } from "../shell/text.ts";
import styles from "./closed-site.module.css";

/** How often a closed site asks whether it is open again, in milliseconds. */
const REOPENING_MS = 30_000;

// Without its code the page shows its text, and an open bet ends by itself.
const OpenBets = lazy(() => import("./open-bets.tsx").catch(() => ({ default: () => null })));

const REASONS: Readonly<Record<1 | 2, { title: MessageId; text: MessageId }>> = {
  1: { title: "error.maintenance_title", text: "error.upgrading" },
  2: { title: "error.denied_title", text: "error.ip_restricted" },
};

/** The reason why the whole site is closed, until it is open again. */
export default function ClosedSite({ status, address }: { status: 1 | 2; address: string }) {
  const { t } = useText();
  const { refetch, isFetching } = useQuery({ ...queries.status(), refetchInterval: REOPENING_MS });
  const { title, text } = REASONS[status];
  useOwnTitle(t(title));
  return (
    <main className={styles.closed}>
      <EmptyScene
        level={1}
        scene={status === 1 ? "maintenance" : "error"}
        title={t(title)}
        text={t(text)}
        action={
          <Button
            variant="secondary"
            loading={isFetching}
            icon={<RefreshIcon size={18} />}
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
      {/* Customer service asks for the address; the page's own data come without it. */}
      {status === 2 && address !== "" && (
        <p className={styles.address}>{t("error.your_ip", { ip: address })}</p>
      )}
    </main>
  );
}
