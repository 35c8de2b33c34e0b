import { Badge } from "@perya/ui/badge";
import { buttonClass, IconButton } from "@perya/ui/button";
import {
  FairnessIcon,
  FeedbackIcon,
  HelpIcon,
  HideIcon,
  HistoryIcon,
  type Icon,
  InviteIcon,
  MemberIcon,
  PromotionIcon,
  RecordIcon,
  RefreshIcon,
  SecurityIcon,
  SettingsIcon,
  ShowIcon,
  SignOutIcon,
} from "@perya/ui/icon";
import { ListRow } from "@perya/ui/list-row";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useState } from "react";
import { useWallet } from "../../parts/money/wallet.ts";
import { type Gate, isAgent } from "../../shell/access.ts";
import { usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { isTrial, type SessionInfo, useSession } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGatedLink } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./member.module.css";

interface PageEntry {
  readonly to: LinkProps["to"] & string;
  readonly title: MessageId;
  readonly icon: Icon;
  readonly gate?: Gate;
}

/** What is the player's own, as far as the brand has it. */
const PAGES: readonly PageEntry[] = [
  { to: "/m/gameRecord", title: "records.games", icon: HistoryIcon },
  { to: "/m/transaction/record", title: "records.transactions", icon: RecordIcon },
  { to: "/m/fairness", title: "shell.fairness", icon: FairnessIcon },
  { to: "/m/redRain", title: "screen.red_rain", icon: PromotionIcon, gate: "real" },
  { to: "/m/inviteFriends", title: "invite.title", icon: InviteIcon },
  { to: "/m/securityCenter", title: "security.title", icon: SecurityIcon },
  { to: "/m/help", title: "help.title", icon: HelpIcon },
  { to: "/m/feedback", title: "feedback.title", icon: FeedbackIcon },
  { to: "/m/set", title: "member.settings", icon: SettingsIcon },
];

/** The account: name, balance, and links to all that is the player's own. */
export default function MemberScreen() {
  const { t } = useText();
  const popups = usePopups();
  const session = useSession((state) => state.session);
  const shows = useShows();
  const gated = useGatedLink();
  const { data: info } = useQuery({ ...queries.memberInfo(), enabled: session !== null });
  const name = info?.nickname ?? info?.account ?? session?.userName ?? "";
  return (
    <div className="page-body">
      <section className={styles.card} aria-label={t("member.account")}>
        <div className={styles.who}>
          <span className={styles.face} aria-hidden="true">
            <MemberIcon size={28} />
          </span>
          <span className={styles.names}>
            <b>{isTrial(session) ? t("shell.trial_name") : name}</b>
            <span>{info?.account ?? session?.userName}</span>
          </span>
          <Badge tone="gold">{t(typeLabel(session))}</Badge>
        </div>
        <Balance />
        {isTrial(session) ? (
          <button
            type="button"
            className={buttonClass({ block: true })}
            onClick={() => popups.open("register")}
          >
            {t("auth.register")}
          </button>
        ) : (
          <div className={styles.actions}>
            {shows("/m/voucherCenter") && (
              <Link to="/m/voucherCenter" className={buttonClass({ block: true })}>
                {t("cashier.deposit")}
              </Link>
            )}
            {shows("/m/withdraw") && (
              <Link
                to="/m/withdraw"
                className={buttonClass({ variant: "secondary", block: true })}
                {...gated({ to: "/m/withdraw", gate: "real" })}
              >
                {t("cashier.withdraw")}
              </Link>
            )}
          </div>
        )}
      </section>
      <nav aria-label={t("member.menu")} className={styles.menu}>
        {PAGES.filter(({ to }) => shows(to)).map(({ to, title, icon: Icon, gate }) => (
          <ListRow
            key={to}
            leading={<Icon size={20} />}
            title={t(title)}
            link={(props) => (
              <Link to={to} {...props} {...(gate === undefined ? {} : gated({ to, gate }))} />
            )}
          />
        ))}
        <ListRow
          leading={<SignOutIcon size={20} />}
          title={t("member.sign_out")}
          onClick={() => popups.open("signout")}
        />
      </nav>
      <p className={styles.note}>{t("home.responsible")}</p>
    </div>
  );
}

function Balance() {
  const { t } = useText();
  const wallet = useWallet();
  const [hidden, setHidden] = useState(false);
  const EyeIcon = hidden ? ShowIcon : HideIcon;
  // Masked while it is read again, too: an old amount must not pass for the new one.
  const masked = hidden || wallet.isRefetching;
  return (
    <div className={styles.balance}>
      <span className={styles.label}>{t("shell.balance")}</span>
      <div className={styles.amount}>
        {wallet.data === undefined ? (
          <Skeleton width={140} height={34} />
        ) : (
          <MoneyText
            value={wallet.data.available}
            masked={masked}
            maskedLabel={t("member.hidden")}
          />
        )}
        <IconButton
          label={t(hidden ? "member.show_balance" : "member.hide_balance")}
          onClick={() => setHidden(!hidden)}
        >
          <EyeIcon size={20} />
        </IconButton>
        <IconButton label={t("member.refresh")} onClick={() => void wallet.refetch()}>
          <RefreshIcon size={20} />
        </IconButton>
      </div>
      {wallet.data !== undefined && wallet.data.held.minor !== 0n && (
        <span className={styles.label}>
          {t("member.held")}{" "}
          <MoneyText value={wallet.data.held} masked={masked} maskedLabel={t("member.hidden")} />
        </span>
      )}
    </div>
  );
}

function typeLabel(session: SessionInfo | null): MessageId {
  if (isTrial(session)) return "member.type_trial";
  return isAgent(session) ? "member.type_agent" : "member.type_member";
}
