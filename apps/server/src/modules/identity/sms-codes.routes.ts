import type { smsCalls } from "@perya/contract/sms";
import { ok } from "@perya/kernel/result";
import type { HumanCheck } from "../../platform/http/human-check.ts";
import type { Routes } from "./identity.ts";
import { DEVICE_COOKIE, deviceHashOf } from "./known-devices.ts";
import { countries } from "./phone-numbers.ts";
import type { SmsCodes } from "./sms-codes.ts";

export function smsRoutes(smsCodes: SmsCodes, humanCheck: HumanCheck): Routes<typeof smsCalls> {
  return {
    "GET /api/v1/auth/human-check": async () => ok(await humanCheck.challenge()),

    "POST /api/v1/auth/sms-code": ({ merchant, body, address, cookie, language }) => {
      const hash = deviceHashOf(cookie(DEVICE_COOKIE));
      const deviceHash = hash?.toString("base64url") ?? null;
      return smsCodes.request(merchant, { ...body, address, deviceHash, language });
    },

    "GET /api/v1/countries": async ({ merchant }) =>
      ok({ countries: countries(merchant.settings.country) }),
  };
}
