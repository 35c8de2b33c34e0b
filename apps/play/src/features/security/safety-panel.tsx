import { Badge, type BadgeTone } from "@perya/ui/badge";
import {
  AppIcon,
  AuthenticatorIcon,
  InboxIcon,
  MemberIcon,
  PasskeyIcon,
  PasswordIcon,
  PaymentPasswordIcon,
} from "@perya/ui/icon";
import { ListRow } from "@perya/ui/list-row";
import { Progress } from "@perya/ui/progress";
import { ListSkeleton, Skeleton } from "@perya/ui/skeleton";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PROVIDER_NAMES } from "../../parts/account/provider-name.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { PopupLink } from "../../shell/popup-link.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { SAFEGUARDS, type SecurityState, safetyOf } from "./safety.ts";
import styles from "./security.module.css";
import type { SheetName } from "./security-popup.tsx";

/** How safe the account is, and each thing that would make it safer. */
export function SafetyPanel() {
  const { t } = useText();
  const security = useQuery(screenQueries.security());
  if (security.data !== undefined) {
    return (
      <>
        <Strength state={security.data} />
        <Entries state={security.data} />
      </>
    );
  }
  if (security.isError) {
    return <QueryFailed query={security} />;
  }
  return (
    <>
      <Skeleton height={132} radius="var(--r-4)" />
      <ListSkeleton count={6} label={t("shell.loading")} />
    </>
  );
}

function Strength({ state }: { state: SecurityState }) {
  const { t } = useText();
  const { level, set, missing } = safetyOf(state);
  const [next] = missing;
  return (
    <section className={styles.strength} data-level={level}>
      <h2 className={styles.level}>{t(`security.level_${level}`)}</h2>
      <Progress
        label={t("security.strength")}
        fraction={set.length / SAFEGUARDS.length}
        valueText={t("security.set_of", { set: set.length, all: SAFEGUARDS.length })}
      />
      <p className={styles.lead}>
        {next === undefined ? t("security.nothing_missing") : t(`security.next_${next}`)}
      </p>
    </section>
  );
}

function Entries({ state }: { state: SecurityState }) {
  const { t, when } = useText();
  const { email, pendingEmail, mobile, totp, passkeys } = state;
  return (
    <nav className={styles.entries} aria-label={t("security.title")}>
      <ListRow
        leading={<PasswordIcon size={20} />}
        title={t("auth.change_password")}
        detail={
          state.passwordChangedAt === null
            ? t("security.password_text")
            : t("security.password_changed", { at: when(state.passwordChangedAt) })
        }
        trailing={<State is={state.hasPassword ? "set" : "missing"} />}
        link={(props) => <Link to="/m/changePsw" {...props} />}
      />
      <SheetRow
        sheet="email"
        icon={<InboxIcon size={20} />}
        title="security.email"
        detail={
          pendingEmail === null
            ? (email?.masked ?? t("security.email_none"))
            : t("security.email_waiting", { email: pendingEmail })
        }
        is={addressState(email)}
      />
      <SheetRow
        sheet="mobile"
        icon={<AppIcon size={20} />}
        title="security.mobile"
        detail={mobile?.masked ?? t("security.mobile_none")}
        is={addressState(mobile)}
      />
      <SheetRow
        sheet="totp"
        icon={<AuthenticatorIcon size={20} />}
        title="security.totp"
        detail={
          totp.enabled
            ? t("security.codes_left", { count: totp.recoveryCodesLeft })
            : t("security.totp_none")
        }
        is={totp.enabled ? "on" : "missing"}
      />
      {(browserSupportsWebAuthn() || passkeys.length > 0) && (
        <SheetRow
          sheet="passkeys"
          icon={<PasskeyIcon size={20} />}
          title="security.passkeys"
          detail={
            passkeys.length === 0
              ? t("security.passkeys_none")
              : passkeys.map(({ name }) => name).join(", ")
          }
          is={passkeys.length === 0 ? "missing" : "set"}
        />
      )}
      <ExternalRow external={state.external} />
      <SheetRow
        sheet="payment"
        icon={<PaymentPasswordIcon size={20} />}
        title="security.payment"
        detail={t("security.payment_detail")}
        is={state.hasPaymentPassword ? "set" : "missing"}
      />
    </nav>
  );
}

/** Shown where the brand offers log-ins from outside, or this account still has one. */
function ExternalRow({ external }: Pick<SecurityState, "external">) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  if (external.length === 0 && (status?.info.externalLogin ?? []).length === 0) return null;
  return (
    <SheetRow
      sheet="external"
      icon={<MemberIcon size={20} />}
      title="security.external"
      detail={
        external.length === 0
          ? t("security.external_none")
          : external.map((provider) => PROVIDER_NAMES[provider]).join(", ")
      }
      is={external.length === 0 ? "missing" : "set"}
    />
  );
}

type EntryState = "set" | "missing" | "on" | "verified" | "unverified";

const TONES: Readonly<Record<EntryState, BadgeTone>> = {
  set: "good",
  on: "good",
  verified: "good",
  unverified: "warn",
  missing: "plain",
};

function State({ is }: { is: EntryState }) {
  const { t } = useText();
  return <Badge tone={TONES[is]}>{t(`security.state_${is}`)}</Badge>;
}

function SheetRow(props: {
  sheet: SheetName;
  icon: ReactNode;
  title: MessageId;
  detail: string;
  is: EntryState;
}) {
  const { t } = useText();
  return (
    <ListRow
      leading={props.icon}
      title={t(props.title)}
      detail={props.detail}
      trailing={<State is={props.is} />}
      link={(row) => <PopupLink {...row} pop="security" more={{ id: props.sheet }} />}
    />
  );
}

function addressState(address: SecurityState["email"]): EntryState {
  if (address === null) return "missing";
  return address.verified ? "verified" : "unverified";
}
