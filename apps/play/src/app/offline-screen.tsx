import { Button } from "@perya/ui/button";
import { RefreshIcon } from "@perya/ui/icon";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { EmptyScene } from "../parts/pictures/empty-art.tsx";
import { useOnline } from "../shell/offline-banner.tsx";
import { useBrand } from "../shell/page-head.ts";
import { useText } from "../shell/text.ts";

/** Cached by the service worker; leaves by itself as soon as the network is back. */
export function OfflineScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const online = useOnline();
  const leave = () => void navigate({ to: "/m/home", replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the network alone.
  useEffect(() => {
    if (online) leave();
  }, [online]);
  return (
    <EmptyScene
      scene="offline"
      title={t("shell.offline_title")}
      text={t("shell.offline_text", { brand: useBrand() })}
      action={
        <Button variant="secondary" icon={<RefreshIcon size={18} />} onClick={leave}>
          {t("shell.retry")}
        </Button>
      }
    />
  );
}
