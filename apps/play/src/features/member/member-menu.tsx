import { buttonClass } from "@perya/ui/button";
import {
  MallIcon,
  MemberIcon,
  PrizeIcon,
  RecordIcon,
  SecurityIcon,
  StatisticsIcon,
  TransferIcon,
  VipIcon,
} from "@perya/ui/icon";
import { SideDrawer } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import { showsVip } from "../../shell/access.ts";
import {
  ENTRY_ICON,
  FlaggedEntries,
  type FlaggedEntry,
  MenuEntry,
  MenuList,
  SignOutButton,
} from "../../shell/menu-entry.tsx";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";

/** What is the player's own, each while its permission key is on (games §2.9). */
const ENTRIES: readonly FlaggedEntry[] = [
  { key: "TRANSBETREPMEM3", path: "/m/gameRecord", text: "records.games", Icon: RecordIcon },
  {
    key: "TRANSREC3",
    path: "/m/transaction/record",
    text: "records.transactions",
    Icon: TransferIcon,
  },
  { key: "PERSREP", path: "/m/profitandloss", text: "screen.pnl", Icon: StatisticsIcon },
  { key: "REWCEN3", path: "/m/rewardCenter", text: "shell.rewards", Icon: PrizeIcon },
  { key: "PTSYS3", path: "/m/mall/mallHome", text: "screen.mall", Icon: MallIcon },
  { key: "SECPRIV", path: "/m/securityCenter", text: "security.title", Icon: SecurityIcon },
];

/** The menu at the other edge, behind the name and the balance. */
export default function MemberMenu({ open, close }: PopupDoor) {
  const { t } = useText();
  const session = useSession((state) => state.session);
  const { data: status } = useQuery(queries.status());
  return (
    <SideDrawer
      side="end"
      open={open}
      onOpenChange={close}
      title={t("member.menu")}
      closeLabel={t("shell.close")}
      footer={<SignOutButton />}
    >
      {status?.info.whitelabel.DEPOSIT === true && <DepositButton />}
      <nav aria-label={t("member.menu")}>
        <MenuList>
          <MenuEntry path="/m/member/home" icon={<MemberIcon {...ENTRY_ICON} />}>
            {t("member.account")}
          </MenuEntry>
          {status !== undefined && showsVip(session, status.info) && (
            <MenuEntry path="/m/member/benefits" icon={<VipIcon {...ENTRY_ICON} />}>
              {t("shell.vip")}
            </MenuEntry>
          )}
          <FlaggedEntries entries={ENTRIES} />
        </MenuList>
      </nav>
    </SideDrawer>
  );
}

function DepositButton() {
  const { t } = useText();
  const popups = usePopups();
  const refusal = useGate()({ to: "/m/voucherCenter", gate: "unlessTrial" });
  return (
    <button
      type="button"
      className={buttonClass({ block: true })}
      onClick={() => (refusal === null ? popups.leaveTo("/m/voucherCenter") : refusal())}
    >
      {t("cashier.deposit")}
    </button>
  );
}
