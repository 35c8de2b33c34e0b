import { derivedKey } from "../../platform/derived-key.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { createHumanCheck } from "../../platform/http/human-check.ts";
import type { Mailer } from "../../platform/mail/mail.ts";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { SmsSender } from "../../platform/sms/sms.ts";
import type { Brands } from "../brand/brand.ts";
import { accountParts } from "./account-parts.ts";
import { Gifts, type GiftsOptions } from "./accounts/gifts.ts";
import { invitationRoutes } from "./accounts/invitations.routes.ts";
import { createInvitations } from "./accounts/invitations.ts";
import { sweepMailLinks } from "./accounts/mail-links.store.ts";
import type { Wallets } from "./accounts/new-member.ts";
import { recoveryRoutes } from "./accounts/recovery.routes.ts";
import { RESET_MAIL, resetMailTask } from "./accounts/reset-mails.ts";
import { AbuseCounts } from "./defence/abuse-counts.ts";
import { createCaptchas } from "./defence/captcha.ts";
import { sweepOnce, useNonce } from "./defence/once.store.ts";
import { OWNER_MAIL, OwnerMails, ownerMailTask } from "./defence/owner-mails.ts";
import { createPayloadKeys } from "./defence/payload-keys.ts";
import { ExternalAccounts } from "./external/external-accounts.ts";
import { ExternalFlows } from "./external/external-flows.ts";
import { externalLoginPages, externalLoginRoutes } from "./external/external-login.routes.ts";
import { sweepExternal } from "./external/external-login.store.ts";
import { ExternalLogins } from "./external/external-login.ts";
import { sweepChallenges } from "./factors/passkeys.store.ts";
import { sweepProofs } from "./factors/payment-proofs.store.ts";
import { createPhoneProofs, phoneServiceHosts } from "./factors/phone-proofs.ts";
import { sweepPending } from "./factors/second-factor.store.ts";
import { SecondFactor } from "./factors/second-factor.ts";
import { smsRoutes } from "./factors/sms-codes.routes.ts";
import { sweepCodes } from "./factors/sms-codes.store.ts";
import { SmsCodes } from "./factors/sms-codes.ts";
import { Totp } from "./factors/totp.ts";
import { identityRoutes } from "./identity.routes.ts";
import { sweepLogins } from "./logins/logins.store.ts";
import { passkeyRoutes } from "./logins/passkeys.routes.ts";
import { type Argon2, Passwords } from "./members/passwords.ts";
import { securityRoutes } from "./security/security.routes.ts";
import { sweepSessions } from "./sessions/sessions.store.ts";

export interface IdentityModuleOptions extends ModuleParts, Omit<GiftsOptions, "devices"> {
  readonly brands: Brands;
  readonly messages: { readonly mailer: Mailer | null; readonly sms: SmsSender | null };
  readonly wallets: Wallets;
  /** Deletes what other modules made for a free-play account; false if it was played with. */
  readonly clearTrial: (memberId: string) => Promise<boolean>;
  /** Work of a human check; tests ask for less than a player's phone does. */
  readonly humanCheckMaxNumber: number | undefined;
  readonly argon2: Argon2 | undefined;
}

export function identityModule(options: IdentityModuleOptions) {
  const { config } = options;
  const proofs = proofsOf(options);
  const accounts = accountsOf(options, proofs);
  return {
    ...{ ...proofs, ...accounts, serviceHosts: phoneServiceHosts(config.phoneService) },
    calls: callsOf(options, proofs, accounts),
    pages: (app) =>
      externalLoginPages(app, {
        externalFlows: accounts.externalFlows,
        publicUrl: config.publicUrl,
        secure: config.publicUrl.startsWith("https:"),
        merchantOf: (host) => options.brands.byHost(host),
      }),
    tasks: { identity_sweep: () => sweep(options, proofs, accounts) },
    outside: mailTasksOf(options),
    schedule: { identity_sweep: "*/10 * * * *" },
    finish: () => proofs.smsCodes.delivery.close(),
  } satisfies ServerModule;
}

type Proofs = ReturnType<typeof proofsOf>;
type Accounts = ReturnType<typeof accountsOf>;

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

function accountsOf(options: IdentityModuleOptions, proofs: Proofs) {
  const { pool, clock, entropy, config, messages } = options;
  const { mailer } = messages;
  const { publicUrl } = config;
  const parts = accountParts({ ...options, ...proofs, mailer, publicUrl });
  const common = { ...options, ...proofs, ...parts };
  const clients = { google: config.google, facebook: config.facebook };
  const flows = new ExternalFlows({ ...common, clients, secret: config.payloadKey });
  return {
    ...parts,
    externalFlows: flows,
    externalLogins: new ExternalLogins({ ...common, flows }),
    externalAccounts: new ExternalAccounts({ ...common, flows }),
    gifts: new Gifts(common),
    invitations: createInvitations(pool, clock, entropy),
  };
}

function callsOf(options: IdentityModuleOptions, proofs: Proofs, accounts: Accounts) {
  const { publicUrl } = options.config;
  const parts = { ...options, ...proofs, ...accounts, publicUrl };
  return {
    ...identityRoutes(parts),
    ...smsRoutes(parts),
    ...recoveryRoutes(parts),
    ...securityRoutes(parts),
    ...passkeyRoutes(parts),
    ...externalLoginRoutes(parts),
    ...invitationRoutes(accounts.invitations, publicUrl),
  };
}

function sweep(options: IdentityModuleOptions, proofs: Proofs, accounts: Accounts) {
  const { pool, clock, clearTrial } = options;
  const now = clock.now();
  return eachByItself({
    "what is valid once": () => sweepOnce(pool, now),
    "log-ins": () => sweepLogins(pool, now),
    sessions: () => sweepSessions(pool, now),
    devices: () => accounts.devices.sweep(),
    counts: () => new AbuseCounts(pool, clock).sweep(),
    codes: () => sweepCodes(pool, now),
    links: () => sweepMailLinks(pool, now),
    "held log-ins": () => sweepPending(pool, now),
    passkeys: () => sweepChallenges(pool, now),
    "payment proofs": () => sweepProofs(pool, now),
    gifts: () => accounts.gifts.sweep(),
    "log-ins from outside": () => sweepExternal(pool, now),
    "payload keys": () => proofs.payloadKeys.sweep(),
    trials: () => accounts.freePlay.sweep(clearTrial),
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
