import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton, Skeleton } from "@perya/ui/skeleton";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EmptyArt } from "../parts/empty-art.tsx";
import { faultText } from "./fault.ts";
import { useOnline } from "./offline-banner.tsx";
import styles from "./screen-states.module.css";
import { useText } from "./text.ts";

/** While a screen's code is on its way. */
export function ScreenLoading() {
  const { t } = useText();
  return (
    <div className={styles.loading}>
      <Skeleton height={120} radius="var(--r-4)" />
      <ListSkeleton label={t("shell.loading")} />
    </div>
  );
}

/** A screen whose code could not be loaded, or that broke; tries by itself when back online. */
export function LoadFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useText();
  const router = useRouter();
  const online = useOnline();
  const [failedOffline] = useState(!online);
  const retry = () => {
    // A module that failed once stays failed in this page; a broken render may well pass.
    if (isModuleFault(error)) return location.reload();
    reset();
    void router.invalidate();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the network alone.
  useEffect(() => {
    if (failedOffline && online) retry();
  }, [online]);
  return (
    <RetryState
      art={<EmptyArt scene={online ? "error" : "offline"} />}
      title={t("shell.load_failed")}
      text={online ? t("shell.load_failed_text") : t("error.offline")}
      retryLabel={t("shell.retry")}
      onRetry={retry}
    />
  );
}

function isModuleFault(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|importing a module|preload/i.test(error.message)
  );
}

/** A list or panel that could not be read. */
export function QueryFailed(props: {
  error: Error;
  onRetry: () => void;
  retrying?: boolean | undefined;
}) {
  const { t } = useText();
  return (
    <RetryState
      art={<EmptyArt scene={navigator.onLine ? "error" : "offline"} />}
      title={t("shell.load_failed")}
      text={faultText(props.error)}
      retryLabel={t("shell.retry")}
      onRetry={props.onRetry}
      retrying={props.retrying}
    />
  );
}
