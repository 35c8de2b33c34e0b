import { isSessionOver } from "@perya/client/faults";
import { OWN_KEY } from "@perya/client/own-key";
import { NetworkFailure } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useMutation } from "@tanstack/react-query";
import { sayFault } from "../../shell/fault.ts";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { api, queryClient } from "../../shell/server.ts";
import {
  beginLeaving,
  currentSession,
  doubtLeaving,
  dropAutoLogin,
  isReplaced,
  leaveSession,
  stay,
} from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { dropPassword } from "./held-password.ts";
import { rememberedLogins } from "./remembered-login.ts";

const LOADING_TOAST = "sign-out";

export default function SignOutDialog({ open, close }: PopupProps) {
  const { t } = useText();
  const popups = usePopups();
  function leave(): void {
    dropPassword();
    // The sign-out does not wait until the key is deleted: a browser may never answer.
    void rememberedLogins.forgetPassword();
    dropAutoLogin();
    // Before the session ends: a page that needs one would ask for a log-in.
    popups.leaveTo("/m/home");
    leaveSession();
  }
  const signOut = useMutation({
    mutationFn: (token: string) =>
      // The live connection may report the end before the reply, which then may be lost.
      Promise.race([
        beginLeaving(token),
        api.call("DELETE /api/v1/auth/logout", { keepalive: true }),
      ]),
    onMutate: () => notify.loading(t("shell.in_please_wait"), LOADING_TOAST),
    onSettled: (_, error, token) => {
      notify.dismiss(LOADING_TOAST);
      if (error === null || isSessionOver(error)) {
        // Another player logged in meanwhile: their session and remembered log-in stay.
        if (isReplaced(token)) close();
        else leave();
        return;
      }
      if (error instanceof NetworkFailure) {
        doubtLeaving(() => isReplaced(token) || leave());
        askWhetherOver();
      } else stay();
      // The server may keep the session open; better to say so than to look signed out.
      sayFault(error);
      close();
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={close}
      title={t("member.sign_out_title")}
      confirmLabel={t("member.sign_out")}
      cancelLabel={t("shell.cancel")}
      loading={signOut.isPending}
      onConfirm={() => signOut.mutate(currentSession()?.token ?? "")}
    >
      {t("member.in_sure_logout")}
    </ConfirmDialog>
  );
}

/** Any call of the player's shows it, now or when the network is back. */
function askWhetherOver(): void {
  const ask = () => void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
  ask();
  addEventListener("online", ask, { once: true });
}
