import type { Reply } from "@perya/client/api";
import { Badge } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { DeviceIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { sayFault } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { deviceName } from "./device-name.ts";
import { methodLabel } from "./login-method.ts";
import styles from "./security.module.css";

type OpenSession = Reply<"GET /api/v1/member/sessions">["sessions"][number];

/** The account's log-ins on devices; every other device can be signed out from here. */
export function DevicesPanel() {
  const { t } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const client = useQueryClient();
  const open = useQuery(screenQueries.sessions());
  const reread = () => void client.invalidateQueries(screenQueries.sessions());
  const endOthers = useMutation({
    mutationFn: () => api.call("DELETE /api/v1/member/sessions"),
    onSuccess: ({ ended }) => notify.success(t("security.signed_out", { count: ended })),
    onError: sayFault,
    onSettled: () => {
      reread();
      popups.close();
    },
  });
  if (open.data === undefined) return <Unloaded query={open} rows={3} />;
  const { sessions } = open.data;
  const hasOthers = sessions.some(({ current }) => !current);
  return (
    <>
      <ul className={styles.rows}>
        {sessions.map((session) => (
          <li key={session.id} className={styles.row}>
            <DeviceRow session={session} onEnded={reread} />
          </li>
        ))}
      </ul>
      {hasOthers && (
        <Button variant="secondary" block onClick={() => popups.open("confirm")}>
          {t("security.sign_out_others")}
        </Button>
      )}
      <ConfirmDialog
        open={popup === "confirm"}
        onOpenChange={() => popups.close()}
        title={t("security.sign_out_others_title")}
        confirmLabel={t("security.sign_out_others")}
        cancelLabel={t("shell.cancel")}
        tone="danger"
        loading={endOthers.isPending}
        onConfirm={() => endOthers.mutate()}
      >
        {t("security.sign_out_others_text")}
      </ConfirmDialog>
    </>
  );
}

function DeviceRow({ session, onEnded }: { session: OpenSession; onEnded: () => void }) {
  const { t, when } = useText();
  const name = deviceName(session.userAgent) ?? t("security.device_unknown");
  const end = useMutation({
    mutationFn: () =>
      api.call("DELETE /api/v1/member/sessions/{id}", { params: { id: session.id } }),
    onSuccess: () => notify.success(t("security.signed_out", { count: 1 })),
    onError: sayFault,
    onSettled: onEnded,
  });
  return (
    <>
      <DeviceIcon size={20} />
      <span className={styles.what}>
        <b>{name}</b>
        <span>
          {t(methodLabel(session.method))} · {session.address}
        </span>
        <span>{t("security.seen", { at: when(session.seenAt) })}</span>
      </span>
      {session.current ? (
        <Badge tone="good">{t("security.this_device")}</Badge>
      ) : (
        <Button
          variant="ghost"
          loading={end.isPending}
          aria-label={t("security.sign_out_device", { name })}
          onClick={() => end.mutate()}
        >
          {t("member.sign_out")}
        </Button>
      )}
    </>
  );
}
