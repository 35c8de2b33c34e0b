import { derivedKey } from "../../platform/derived-key.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { createHumanCheck } from "../../platform/http/human-check.ts";
import type { Mailer } from "../../platform/mail/mail.ts";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { SmsSender } from "../../platform/sms/sms.ts";
import type { Brands } from "../brand/brand.ts";
import { Gifts, type GiftsOptions } from "./accounts/gifts.ts";
import { invitationRoutes } from "./accounts/invitations.routes.ts";
import { createInvitations } from "./accounts/invitations.ts";
import { recoveryRoutes } from "./accounts/recovery.routes.ts";
import { Recovery } from "./accounts/recovery.ts";
import { RESET_MAIL, resetMailTask } from "./accounts/reset-mails.ts";
import { createCaptchas } from "./defence/captcha.ts";
import { KnownDevices } from "./defence/known-devices.ts";
import { OWNER_MAIL, OwnerMails, ownerMailTask } from "./defence/owner-mails.ts";
import { createPayloadKeys } from "./defence/payload-keys.ts";
import { ExternalAccounts } from "./external/external-accounts.ts";
import { externalLoginPages, externalLoginRoutes } from "./external/external-login.routes.ts";
import { ExternalLogins } from "./external/external-login.ts";
import { Passkeys } from "./factors/passkeys.ts";
import { PaymentProofs } from "./factors/payment-proofs.ts";
import { createPhoneProofs, phoneServiceHosts } from "./factors/phone-proofs.ts";
import { SecondFactor } from "./factors/second-factor.ts";
import { smsRoutes } from "./factors/sms-codes.routes.ts";
import { SmsCodes } from "./factors/sms-codes.ts";
import { Totp } from "./factors/totp.ts";
import { identityRoutes } from "./identity.routes.ts";
import { Identity, type Wallets } from "./identity.ts";
import { passkeyRoutes } from "./logins/passkeys.routes.ts";
import { useNonce } from "./members/members.store.ts";
import { type Argon2, Passwords } from "./members/passwords.ts";
import { securityRoutes } from "./security/security.routes.ts";
import { Security } from "./security/security.ts";

export interface IdentityModuleOptions extends ModuleParts, Omit<GiftsOptions, "devices"> {
  readonly brands: Brands;
  readonly messages: { readonly mailer: Mailer | null; readonly sms: SmsSender | null };
  readonly wallets: Wallets;
  /** Deletes what other modules made for a free-play account; false if it was played with. */
  readonly clearTrial: (memberId: string) => Promise<boolean>;
  /** Work of a human check; tests ask for less than a player's phone does. */
  readonly humanCheckMaxNumber: number | undefined;
  /** Hashes passwords; tests take smaller figures. */
  readonly argon2: Argon2 | undefined;
}

export function identityModule(options: IdentityModuleOptions) {
  const { config } = options;
  const proofs = proofsOf(options);
  const accounts = accountsOf(options, proofs);
  const { externalLogins } = accounts;
  return {
    ...{ ...proofs, ...accounts, serviceHosts: phoneServiceHosts(config.phoneService) },
    calls: callsOf(options, proofs, accounts),
    pages: (app) =>
      externalLoginPages(app, {
        externalLogins,
        publicUrl: config.publicUrl,
        secure: config.publicUrl.startsWith("https:"),
        merchantOf: (host) => options.brands.byHost(host),
      }),
    tasks: { identity_sweep: () => sweep(options, proofs, accounts) },
    outside: mailTasksOf(options),
    schedule: { identity_sweep: "*/10 * * * *" },
    finish: () => proofs.smsCodes.close(),
  } satisfies ServerModule;
}

type Proofs = ReturnType<typeof proofsOf>;
type Accounts = ReturnType<typeof accountsOf>;

/** The parts by which somebody proves who they are. */
function proofsOf(options: IdentityModuleOptions) {
  const { pool, clock, entropy, log, config, messages } = options;
  const { phoneService } = config;
  const { mailer, sms } = messages;
  const humanCheck = createHumanCheck({
    key: derivedKey(config.sessionSecret, "human-check"),
    clock,
    used: { take: (nonce, until) => useNonce(pool, nonce, until) },
    ...(options.humanCheckMaxNumber === undefined
      ? {}
      : { maxNumber: options.humanCheckMaxNumber }),
  });
  const secret = derivedKey(config.sessionSecret, "sms-code");
  const ownerMails = new OwnerMails(clock, mailer !== null);
  const passwords = new Passwords(entropy, options.argon2);
  const totp = new Totp({ pool, clock, entropy, passwords, secret: config.payloadKey });
  return {
    ...{ humanCheck, ownerMails, passwords, totp },
    captchas: createCaptchas(pool, clock, entropy),
    payloadKeys: createPayloadKeys(pool, clock, entropy, config.payloadKey),
    smsCodes: new SmsCodes({ pool, clock, entropy, log, sms, humanCheck, secret }),
    phoneProofs:
      phoneService === null ? null : createPhoneProofs({ pool, clock, log, service: phoneService }),
    secondFactor: new SecondFactor({ pool, clock, entropy, totp, ownerMails }),
  };
}

/** What members own and do by their proofs. */
function accountsOf(options: IdentityModuleOptions, proofs: Proofs) {
  const { pool, clock, entropy, log, config } = options;
  const { mailer } = options.messages;
  const { smsCodes: codes, passwords, ownerMails } = proofs;
  const identity = new Identity({ ...options, ...proofs });
  const { sessions } = identity;
  const passkeys = new Passkeys({ pool, clock, entropy, sessions, ownerMails });
  const paymentProofs = new PaymentProofs({ pool, clock, passwords, passkeys });
  const externalLogins = new ExternalLogins({
    ...{ pool, clock, entropy, log, identity },
    clients: { google: config.google, facebook: config.facebook },
    secret: config.payloadKey,
  });
  const devices = new KnownDevices(pool, clock, entropy);
  const { publicUrl } = config;
  const mailsAreSent = mailer !== null;
  const common = { pool, clock, entropy, sessions, codes };
  return {
    ...{ identity, sessions, passkeys, paymentProofs, externalLogins, devices },
    recovery: new Recovery({ ...proofs, ...common, mailsAreSent }),
    security: new Security({ ...proofs, ...common, paymentProofs, mailer, publicUrl }),
    externalAccounts: new ExternalAccounts({ pool, clock, sessions, externalLogins, ownerMails }),
    gifts: new Gifts({ ...options, devices }),
  };
}

function callsOf(options: IdentityModuleOptions, proofs: Proofs, accounts: Accounts) {
  const { pool, clock, entropy } = options;
  const { publicUrl } = options.config;
  return {
    ...identityRoutes({ ...accounts, ...proofs, clock }),
    ...smsRoutes({ ...proofs, entropy }),
    ...recoveryRoutes(accounts.recovery),
    ...securityRoutes({ ...accounts, publicUrl }),
    ...passkeyRoutes({ ...accounts, publicUrl }),
    ...externalLoginRoutes({ ...accounts, publicUrl }),
    ...invitationRoutes(createInvitations(pool, clock, entropy), publicUrl),
  };
}

function sweep({ clearTrial }: IdentityModuleOptions, proofs: Proofs, accounts: Accounts) {
  return eachByItself({
    identity: () => accounts.identity.sweep(),
    codes: () => proofs.smsCodes.sweep(),
    links: () => accounts.recovery.sweep(),
    "held log-ins": () => proofs.secondFactor.sweep(),
    passkeys: () => accounts.passkeys.sweep(),
    "payment proofs": () => accounts.paymentProofs.sweep(),
    gifts: () => accounts.gifts.sweep(),
    "log-ins from outside": () => accounts.externalLogins.sweep(),
    "payload keys": () => proofs.payloadKeys.sweep(),
    trials: () => accounts.identity.sweepTrials(clearTrial),
  });
}

function mailTasksOf(options: IdentityModuleOptions) {
  const { brands, config, messages } = options;
  const letters = { ...options, ...messages, merchantById: (id: string) => brands.byId(id) };
  return {
    [OWNER_MAIL]: ownerMailTask(letters),
    [RESET_MAIL]: resetMailTask({ ...letters, publicUrl: config.publicUrl }),
  };
}
