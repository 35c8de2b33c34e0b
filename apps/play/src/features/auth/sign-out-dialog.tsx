import { ConfirmDialog } from "@perya/ui/sheet";
import { useMutation } from "@tanstack/react-query";
import { isSessionOver, sayFault } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { usePopups } from "../../shell/popups.ts";
import { api } from "../../shell/server.ts";
import { currentSession, isReplaced, leaveSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { dropPassword } from "./held-password.ts";
import { rememberedLogins } from "./remembered-login.ts";

const LOADING_TOAST = "sign-out";

export default function SignOutDialog({ open, close }: PopupDoor) {
  const { t } = useText();
  const popups = usePopups();
  const signOut = useMutation({
    mutationFn: (_token: string) => api.call("DELETE /api/v1/auth/logout"),
    onMutate: () => notify.loading(t("shell.in_please_wait"), LOADING_TOAST),
    onSettled: (_, error, token) => {
      notify.dismiss(LOADING_TOAST);
      if (error !== null && !isSessionOver(error)) {
        // The server may keep the session open; better to say so than to look signed out.
        sayFault(error);
        close();
        return;
      }
      // Somebody logged in while it was on its way: theirs stays, with what it remembers.
      if (isReplaced(token)) return close();
      dropPassword();
      // Nobody waits for its key to go: a browser may not answer for it.
      void rememberedLogins.forgetPassword();
      // Before the session goes: a page that needs one would ask for a log-in.
      popups.leaveTo("/m/home");
      leaveSession();
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
