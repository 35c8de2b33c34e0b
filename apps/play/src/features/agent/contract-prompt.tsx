import { ConfirmDialog } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { isLedToContracts } from "../../shell/access.ts";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { KINDS } from "./contract-kinds.ts";

/** Offers the way to a waiting contract; a contract that no longer waits is not asked about. */
export default function ContractPrompt({ open, close, id }: PopupProps) {
  const { t } = useText();
  const popups = usePopups();
  const led = useSession(({ session }) => isLedToContracts(session));
  const { data: info, isError } = useQuery({ ...screenQueries.contractInfo(), enabled: led });
  const asked = KINDS.find(({ kind }) => kind === id);
  const waits = led && asked !== undefined && info?.[asked.requirement] !== "";
  const idle = !waits || isError;
  useEffect(() => {
    if (open && idle) close();
  }, [open, idle, close]);
  if (asked === undefined || !waits || info === undefined) return null;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={close}
      title={t(asked.title)}
      confirmLabel={t("agent.prompt_go")}
      cancelLabel={t("shell.cancel")}
      onConfirm={() => popups.leaveTo(asked.path)}
    >
      {t("agent.prompt")}
    </ConfirmDialog>
  );
}
