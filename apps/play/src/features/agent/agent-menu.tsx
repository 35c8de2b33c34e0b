import {
  InviteIcon,
  PromotionIcon,
  RecordIcon,
  StatisticsIcon,
  TeamIcon,
  TransferIcon,
  WalletIcon,
} from "@perya/ui/icon";
import { FeatureClosed } from "../../parts/page/screen-states.tsx";
import { isAgent } from "../../shell/access.ts";
import { ListedEntries, type ListedEntry, MenuEntry, MenuList } from "../../shell/menu-entry.tsx";
import type { PopupProps } from "../../shell/popups.ts";
import { useSession } from "../../shell/session.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";

/** An agent's screens, each shown while its permission key is on (games §2.9). */
const ENTRIES: readonly ListedEntry[] = [
  { path: "/m/agentRegister", text: "screen.open_account", Icon: InviteIcon },
  { path: "/m/agent/team/overview", text: "screen.team_overview", Icon: StatisticsIcon },
  { path: "/m/member/team", text: "screen.team", Icon: TeamIcon },
  { path: "/m/transaction/record?types=A", text: "records.transactions", Icon: TransferIcon },
  { path: "/m/agent/team/pnl", text: "screen.team_pnl", Icon: StatisticsIcon },
  { path: "/m/teamBetting", text: "screen.team_bets", Icon: RecordIcon },
  { path: "/m/member/agent/agentRebeat", text: "screen.agent_rebate", Icon: WalletIcon },
  { path: "/m/member/teamRebate", text: "screen.team_rebate", Icon: WalletIcon },
  { path: "/m/redRain", text: "screen.red_rain", Icon: PromotionIcon, gate: "real" },
];

export default function AgentMenu({ open, close }: PopupProps) {
  const { t } = useText();
  const session = useSession((state) => state.session);
  return (
    <Sheet open={open} close={close} title={t("screen.agent")}>
      {isAgent(session) ? (
        <nav aria-label={t("screen.agent")}>
          <MenuList>
            <MenuEntry path="/m/agent" Icon={TeamIcon} text="screen.agent" />
            <ListedEntries entries={ENTRIES} />
          </MenuList>
        </nav>
      ) : (
        <FeatureClosed />
      )}
    </Sheet>
  );
}
