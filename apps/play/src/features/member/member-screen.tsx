import { Badge } from "@perya/ui/badge";
import { buttonClass, IconButton } from "@perya/ui/button";
import {
  FairnessIcon,
  FeedbackIcon,
  HelpIcon,
  HideIcon,
  HistoryIcon,
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
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useWallet } from "../../parts/money/wallet.ts";
import { isAgent } from "../../shell/access.ts";
import { usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { isTrial, type SessionInfo, useSession } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGatedLink } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./member.module.css";

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
    <div className={styles.screen}>
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
        {shows("/m/gameRecord") && (
          <ListRow
            leading={<HistoryIcon size={20} aria-hidden="true" />}
            title={t("records.games")}
            link={(props) => <Link to="/m/gameRecord" {...props} />}
          />
        )}
        {shows("/m/transaction/record") && (
          <ListRow
            leading={<RecordIcon size={20} aria-hidden="true" />}
            title={t("records.transactions")}
            link={(props) => <Link to="/m/transaction/record" {...props} />}
          />
        )}
        <ListRow
          leading={<FairnessIcon size={20} aria-hidden="true" />}
          title={t("shell.fairness")}
          link={(props) => <Link to="/m/fairness" {...props} />}
        />
        {shows("/m/redRain") && (
          <ListRow
            leading={<PromotionIcon size={20} aria-hidden="true" />}
            title={t("screen.red_rain")}
            link={(props) => (
              <Link to="/m/redRain" {...props} {...gated({ to: "/m/redRain", gate: "real" })} />
            )}
          />
        )}
        {shows("/m/inviteFriends") && (
          <ListRow
            leading={<InviteIcon size={20} aria-hidden="true" />}
            title={t("invite.title")}
            link={(props) => <Link to="/m/inviteFriends" {...props} />}
          />
        )}
        {shows("/m/securityCenter") && (
          <ListRow
            leading={<SecurityIcon size={20} aria-hidden="true" />}
            title={t("security.title")}
            link={(props) => <Link to="/m/securityCenter" {...props} />}
          />
        )}
        <ListRow
          leading={<HelpIcon size={20} aria-hidden="true" />}
          title={t("help.title")}
          link={(props) => <Link to="/m/help" {...props} />}
        />
        <ListRow
          leading={<FeedbackIcon size={20} aria-hidden="true" />}
          title={t("feedback.title")}
          link={(props) => <Link to="/m/feedback" {...props} />}
        />
        <ListRow
          leading={<SettingsIcon size={20} aria-hidden="true" />}
          title={t("member.settings")}
          link={(props) => <Link to="/m/set" {...props} />}
        />
        <ListRow
          leading={<SignOutIcon size={20} aria-hidden="true" />}
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
          {hidden ? (
            <ShowIcon size={20} aria-hidden="true" />
          ) : (
            <HideIcon size={20} aria-hidden="true" />
          )}
        </IconButton>
        <IconButton label={t("member.refresh")} onClick={() => void wallet.refetch()}>
          <RefreshIcon size={20} aria-hidden="true" />
        </IconButton>
      </div>
      {wallet.data !== undefined && wallet.data.held.minor !== "0" && (
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
