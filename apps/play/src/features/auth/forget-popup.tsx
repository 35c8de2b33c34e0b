import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import type { PopupProps } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { RecoveryByMail } from "./recovery-by-mail.tsx";
import { RecoveryByPhone } from "./recovery-by-phone.tsx";

/** A forgotten password: by a link in an e-mail, or by a code where the brand allows it. */
export default function ForgetPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  return (
    <Popup open={open} close={close} title={t("auth.forgot_title")}>
      {status === undefined ? (
        <ListSkeleton count={3} label={t("shell.loading")} />
      ) : status.info.recoveryByPhone ? (
        <RecoveryByPhone />
      ) : (
        <RecoveryByMail onDone={close} />
      )}
    </Popup>
  );
}
