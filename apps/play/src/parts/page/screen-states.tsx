import { isModuleFault } from "@perya/client/faults";
import { Button } from "@perya/ui/button";
import { RefreshIcon } from "@perya/ui/icon";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton, Skeleton } from "@perya/ui/skeleton";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useMatches, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { faultText } from "../../shell/fault.ts";
import { useOnline } from "../../shell/offline-banner.tsx";
import { useText } from "../../shell/text.ts";
import { EmptyArt, EmptyScene } from "../pictures/empty-art.tsx";
import { PageHeader } from "./header.tsx";
import styles from "./screen-states.module.css";

/** Shown while a screen's code loads; `children` come above the skeleton, or a game's bar. */
export function ScreenLoading({ children }: { children?: ReactNode }) {
  const { t } = useText();
  const { bare } = useMatches().at(-1)?.staticData ?? {};
  if (bare) {
    return (
      <div className={styles.stage} role="status" aria-label={t("shell.loading")}>
        {children}
      </div>
    );
  }
  return (
    <>
      <BarForOwn />
      <div className={styles.loading}>
        {children}
        <Skeleton height={120} radius="var(--r-4)" />
        <ListSkeleton label={t("shell.loading")} />
      </div>
    </>
  );
}

/** The shared bar above the skeleton of a screen whose own title bar has not loaded. */
function BarForOwn() {
  const { t } = useText();
  const { title, back, ownHeader } = useMatches().at(-1)?.staticData ?? {};
  return ownHeader && <PageHeader title={title && t(title)} back={back} />;
}

/** The address of a feature that the brand does not have says so. */
export function FeatureClosed() {
  const { t } = useText();
  return (
    <EmptyScene
      scene="maintenance"
      title={t("shell.unavailable")}
      text={t("error.feature_unavailable")}
    />
  );
}

/** When this page's network last came back. */
let backAt = Number.NEGATIVE_INFINITY;
addEventListener("online", () => {
  backAt = performance.now();
});
const JUST_BACK_MS = 15_000;

/** A screen that failed; tries again by itself when back online. */
export function LoadFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useText();
  const router = useRouter();
  const online = useOnline();
  const codeIsMissing = isModuleFault(error);
  // A call made without a network may fail only after the network is back.
  const [failedOffline] = useState(
    () => !online || (codeIsMissing && performance.now() - backAt < JUST_BACK_MS),
  );
  const retry = () => {
    // A module that failed once stays failed in this page; a broken render may well pass.
    if (codeIsMissing) return location.reload();
    reset();
    void router.invalidate();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the network alone.
  useEffect(() => {
    if (online && (failedOffline || mayReload(error))) retry();
  }, [online]);
  useEffect(() => console.error("a screen cannot be shown", error), [error]);
  // The placeholder stays and offers another try (specification, games §8).
  if (codeIsMissing) {
    return (
      <ScreenLoading>
        <div role="alert">
          <Button variant="secondary" block icon={<RefreshIcon size={18} />} onClick={retry}>
            {t("error.load_failed")}
          </Button>
        </div>
      </ScreenLoading>
    );
  }
  return (
    <>
      <BarForOwn />
      <RetryState
        art={<EmptyArt scene={online ? "error" : "offline"} />}
        title={online ? t("error.unknown") : t("error.offline")}
        retryLabel={t("error.load_failed")}
        onRetry={retry}
      />
    </>
  );
}

/** Once per file, because an earlier build may have had another; never below a popup. */
function mayReload(error: unknown): boolean {
  if (!isModuleFault(error) || document.body.classList.contains("popup-on")) return false;
  // The router's own mark, which reloads for the screens themselves.
  const mark = `tanstack_router_reload:${error.message}`;
  try {
    if (sessionStorage.getItem(mark) !== null) return false;
    sessionStorage.setItem(mark, "1");
    return true;
  } catch {
    // Without a mark it might reload forever.
    return false;
  }
}

interface AskedQuery {
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly isFetching: boolean;
}

/** In the place of a query's data: an outline while it loads, or why it failed. */
export function Unloaded({ query, rows }: { query: AskedQuery; rows?: number }) {
  const { t } = useText();
  if (query.error !== null) return <QueryFailed query={query} />;
  return <ListSkeleton count={rows ?? 6} label={t("shell.loading")} />;
}

/** A list or panel that could not be read; the player may ask for it again. */
export function QueryFailed({ query: { error, refetch, isFetching } }: { query: AskedQuery }) {
  const { t } = useText();
  return (
    <RetryState
      art={<EmptyArt scene={navigator.onLine ? "error" : "offline"} />}
      title={faultText(error)}
      retryLabel={t("error.load_failed")}
      onRetry={() => void refetch()}
      retrying={isFetching}
    />
  );
}
