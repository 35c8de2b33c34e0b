import type { Mailer } from "../../platform/mail/mail.ts";
import { FreePlay } from "./accounts/free-play.ts";
import { memberAdder, type Wallets } from "./accounts/new-member.ts";
import { PasswordChange } from "./accounts/password-change.ts";
import { PasswordSetting } from "./accounts/password-setting.ts";
import { RecoveryByMail } from "./accounts/recovery-by-mail.ts";
import { RecoveryByPhone } from "./accounts/recovery-by-phone.ts";
import { Registrations } from "./accounts/registration.ts";
import { KnownDevices } from "./defence/known-devices.ts";
import type { OwnerMails } from "./defence/owner-mails.ts";
import { OwnerProofs } from "./factors/owner-proofs.ts";
import { Passkeys } from "./factors/passkeys.ts";
import { PaymentProofs } from "./factors/payment-proofs.ts";
import type { Totp } from "./factors/totp.ts";
import { TwoFactor } from "./factors/two-factor.ts";
import { Logins, type LoginsOptions } from "./logins/logins.ts";
import { Contacts } from "./security/contacts.ts";
import { Security } from "./security/security.ts";
import { Sessions } from "./sessions/sessions.ts";

export interface AccountPartsOptions extends Omit<LoginsOptions, "sessions"> {
  readonly totp: Totp;
  readonly ownerMails: OwnerMails;
  readonly wallets: Wallets;
  /** Null if this installation sends no mail. */
  readonly mailer: Mailer | null;
  readonly publicUrl: string;
  readonly elapsed?: () => number;
}

/** What members own and do by their proofs, from the parts that prove who they are. */
export function accountParts(given: AccountPartsOptions) {
  const { pool, clock, entropy, wallets, mailer, smsCodes: codes } = given;
  const sessions = new Sessions(pool, clock, entropy);
  const devices = new KnownDevices(pool, clock, entropy);
  const addMember = memberAdder(pool, clock, wallets);
  const options = { ...given, sessions, devices, addMember, codes };
  const passkeys = new Passkeys(options);
  const paymentProofs = new PaymentProofs({ ...options, passkeys });
  const proofs = new OwnerProofs({ ...options, paymentProofs });
  const setting = new PasswordSetting(options);
  return {
    ...{ sessions, devices, addMember, passkeys, paymentProofs },
    logins: new Logins(options),
    registrations: new Registrations(options),
    freePlay: new FreePlay(options),
    byMail: new RecoveryByMail({ ...options, setting, mailsAreSent: mailer !== null }),
    byPhone: new RecoveryByPhone({ ...options, setting }),
    passwordChange: new PasswordChange({ ...options, proofs, setting }),
    security: new Security({ ...options, proofs }),
    contacts: new Contacts(options),
    twoFactor: new TwoFactor({ ...options, proofs }),
  };
}
