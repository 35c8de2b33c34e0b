import type { recoveryCalls } from "@perya/contract/recovery";
import { ok } from "@perya/kernel/result";
import { DEVICE_COOKIE, deviceHashOf } from "../defence/known-devices.ts";
import { ASKER_COOKIE } from "../factors/sms-codes.ts";
import type { Routes } from "../sessions/routes.ts";
import type { PasswordChange } from "./password-change.ts";
import type { RecoveryByMail } from "./recovery-by-mail.ts";
import type { RecoveryByPhone } from "./recovery-by-phone.ts";

export function recoveryRoutes(deps: {
  readonly byMail: RecoveryByMail;
  readonly byPhone: RecoveryByPhone;
  readonly passwordChange: PasswordChange;
}): Routes<typeof recoveryCalls> {
  const { byMail, byPhone, passwordChange } = deps;
  return {
    "POST /api/v1/auth/forgot-password": async (call) => {
      const { merchant, body, address, language } = call;
      const deviceHash = deviceHashOf(call.cookie(DEVICE_COOKIE));
      const sent = await byMail.forgot(merchant, body, { address, language, deviceHash });
      return sent.ok ? ok({ sent: true as const }) : sent;
    },

    "POST /api/v1/auth/reset-link": async ({ merchant, body }) => {
      const owner = await byMail.linkOwner(merchant, body.token);
      return owner.ok ? ok({ userName: owner.value.username }) : owner;
    },

    "POST /api/v1/auth/password-by-link": async ({ merchant, body, language }) => {
      const changed = await byMail.setByLink(merchant, body, language);
      return changed.ok ? ok({ changed: true as const }) : changed;
    },

    "POST /api/v1/auth/recovery-name": async ({ merchant, body }) => {
      const accepted = byPhone.acceptName(merchant, body.username);
      return accepted.ok ? ok({ accepted: true as const }) : accepted;
    },

    "POST /api/v1/auth/password-by-phone": async (call) => {
      const { merchant, body, language } = call;
      const asker = { browser: call.cookie(ASKER_COOKIE) };
      const hasHungUp = () => call.hasHungUp();
      const deviceHash = deviceHashOf(call.cookie(DEVICE_COOKIE));
      const by = { language, asker, hasHungUp, deviceHash };
      const changed = await byPhone.setByPhone(merchant, body, by);
      return changed.ok ? ok({ changed: true as const }) : changed;
    },

    "POST /api/v1/auth/password": async ({ merchant, session, body, language }) => {
      const changed = await passwordChange.change(merchant, session, body, language);
      return changed.ok ? ok({ changed: true as const }) : changed;
    },
  };
}
