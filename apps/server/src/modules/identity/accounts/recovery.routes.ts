import type { recoveryCalls } from "@perya/contract/recovery";
import { ok } from "@perya/kernel/result";
import { DEVICE_COOKIE, deviceHashOf } from "../defence/known-devices.ts";
import { ASKER_COOKIE } from "../factors/sms-codes.ts";
import type { Routes } from "../sessions/routes.ts";
import type { Recovery } from "./recovery.ts";

export function recoveryRoutes(recovery: Recovery): Routes<typeof recoveryCalls> {
  return {
    "POST /api/v1/auth/forgot-password": async (call) => {
      const { merchant, body, address, language } = call;
      const deviceHash = deviceHashOf(call.cookie(DEVICE_COOKIE));
      const asked = await recovery.forgot(merchant, body, { address, language, deviceHash });
      return asked.ok ? ok({ sent: true as const }) : asked;
    },

    "POST /api/v1/auth/reset-link": async ({ merchant, body }) => {
      const owner = await recovery.linkOwner(merchant, body.token);
      return owner.ok ? ok({ userName: owner.value.username }) : owner;
    },

    "POST /api/v1/auth/password-by-link": async ({ merchant, body, language }) => {
      const set = await recovery.setByLink(merchant, body, language);
      return set.ok ? ok({ changed: true as const }) : set;
    },

    "POST /api/v1/auth/recovery-name": async ({ merchant, body }) => {
      const accepted = recovery.acceptName(merchant, body.username);
      return accepted.ok ? ok({ accepted: true as const }) : accepted;
    },

    "POST /api/v1/auth/password-by-phone": async (call) => {
      const { merchant, body, language } = call;
      const asker = { browser: call.cookie(ASKER_COOKIE) };
      const hasHungUp = () => call.hasHungUp();
      const deviceHash = deviceHashOf(call.cookie(DEVICE_COOKIE));
      const by = { language, asker, hasHungUp, deviceHash };
      const set = await recovery.setByPhone(merchant, body, by);
      return set.ok ? ok({ changed: true as const }) : set;
    },

    "POST /api/v1/auth/password": async ({ merchant, session, body, language }) => {
      const changed = await recovery.change(merchant, session, body, language);
      return changed.ok ? ok({ changed: true as const }) : changed;
    },
  };
}
