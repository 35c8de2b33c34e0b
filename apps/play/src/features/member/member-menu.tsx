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
import {
  ListedEntries,
  type ListedEntry,
  MenuEntry,
  MenuList,
  SignOutButton,
} from "../../shell/menu-entry.tsx";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { SideDrawer } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";

/** The player's own screens, each shown while its permission key is on (games §2.9). */
const ENTRIES: readonly ListedEntry[] = [
  { path: "/m/gameRecord", text: "records.games", Icon: RecordIcon },
  {
    path: "/m/transaction/record",
    text: "records.transactions",
    Icon: TransferIcon,
  },
  { path: "/m/profitandloss", text: "screen.pnl", Icon: StatisticsIcon },
  { path: "/m/rewardCenter", text: "shell.rewards", Icon: PrizeIcon },
  { path: "/m/mall/mallHome", text: "screen.mall", Icon: MallIcon },
  { path: "/m/securityCenter", text: "security.title", Icon: SecurityIcon },
];

/** The menu at the other edge, behind the name and the balance. */
export default function MemberMenu({ open, close }: PopupProps) {
  const { t } = useText();
  const shows = useShows();
  const trial = isTrial(useSession(({ session }) => session));
  return (
    <SideDrawer
      side="end"
      open={open}
      close={close}
      title={t("member.menu")}
      footer={<SignOutButton />}
    >
      {trial ? <RegisterButton /> : shows("/m/voucherCenter") && <DepositButton />}
      <nav aria-label={t("member.menu")}>
        <MenuList>
          <MenuEntry path="/m/member/home" Icon={MemberIcon} text="member.account" />
          <MenuEntry path="/m/member/benefits" Icon={VipIcon} text="shell.vip" />
          <ListedEntries entries={ENTRIES} />
        </MenuList>
      </nav>
    </SideDrawer>
  );
}

/** Leads from free play to an account of one's own. */
function RegisterButton() {
  const { t } = useText();
  const popups = usePopups();
  return (
    <button
      type="button"
      className={buttonClass({ block: true })}
      onClick={() => popups.open("register")}
    >
      {t("auth.register")}
    </button>
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
