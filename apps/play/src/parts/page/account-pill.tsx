import { buttonClass } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoreIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { PopupLink } from "../../shell/popup-link.tsx";
import { queries } from "../../shell/server.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import { useWallet } from "../money/wallet.ts";
import { useInboxUnread } from "../notices/notices.ts";
import { UnreadBadge } from "../notices/unread-badge.tsx";
import styles from "./account-pill.module.css";

/** Name and live balance, with a link to the account; `compact` leaves the name out. */
export function AccountPill({ compact = false }: { compact?: boolean }) {
  const { t } = useText();
  const session = useSession((state) => state.session);
  const info = useQuery({ ...queries.memberInfo(), enabled: session !== null && !compact });
  const wallet = useWallet();
  const unread = useInboxUnread();
  const shows = useShows();
  if (session === null) return null;
  const name = isTrial(session)
    ? t("shell.trial_name")
    : (info.data?.nickname ?? info.data?.account ?? session.userName);
  return (
    <div className={styles.pill}>
      <PopupLink pop="member" className={styles.account}>
        {!compact && (
          <span className={styles.name}>
            <span>{name}</span>
            {info.data?.clubLabel?.labelName && <b> · {info.data.clubLabel.labelName}</b>}
          </span>
        )}
        {!compact && (
          <span className={styles.unread}>
            <UnreadBadge count={unread} />
          </span>
        )}
        <span className="visually-hidden">{t("shell.balance")} </span>
        <span className={styles.amount} aria-live="polite">
          {wallet.data === undefined ? (
            <Skeleton width={72} height={16} />
          ) : (
            <MoneyText value={wallet.data.available} />
          )}
        </span>
      </PopupLink>
      {!isTrial(session) && shows("/m/voucherCenter") && <DepositLink compact={compact} />}
    </div>
  );
}

function DepositLink({ compact }: { compact: boolean }) {
  const { t } = useText();
  const label = t("cashier.deposit");
  return (
    <Link
      to="/m/voucherCenter"
      aria-label={label}
      className={classNames(buttonClass({ size: "sm" }), styles.action, compact && styles.round)}
    >
      {compact ? <MoreIcon size={20} strokeWidth={2.5} /> : label}
    </Link>
  );
}
