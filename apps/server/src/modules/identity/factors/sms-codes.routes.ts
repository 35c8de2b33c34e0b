import type { smsCalls } from "@perya/contract/sms";
import { type Entropy, SECOND_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { mintToken, TOKEN } from "../../../platform/bearer-token.ts";
import type { HumanCheck } from "../../../platform/http/human-check.ts";
import { DEVICE_COOKIE, deviceHashOf } from "../defence/known-devices.ts";
import { countries } from "../members/phone-numbers.ts";
import type { Routes } from "../sessions/routes.ts";
import { ASKER_COOKIE, ASKER_COOKIE_MS, type SmsCodes } from "./sms-codes.ts";

export function smsRoutes(deps: {
  readonly smsCodes: SmsCodes;
  readonly humanCheck: HumanCheck;
  readonly entropy: Entropy;
}): Routes<typeof smsCalls> {
  const { smsCodes, humanCheck, entropy } = deps;
  return {
    "GET /api/v1/auth/human-check": async () => ok(await humanCheck.challenge()),

    "POST /api/v1/auth/sms-code": ({ merchant, body, address, language, ...call }) => {
      const hash = deviceHashOf(call.cookie(DEVICE_COOKIE));
      const deviceHash = hash?.toString("base64url") ?? null;
      const kept = call.cookie(ASKER_COOKIE) ?? "";
      const browser = TOKEN.test(kept) ? kept : mintToken(entropy).token;
      const maxAgeS = ASKER_COOKIE_MS / SECOND_MS;
      call.setCookie(ASKER_COOKIE, browser, { sameSite: "strict", maxAgeS });
      const asker = { browser };
      return smsCodes.request(merchant, { ...body, asker, address, deviceHash, language });
    },

    "GET /api/v1/countries": async ({ merchant }) =>
      ok({ countries: countries(merchant.settings.country) }),
  };
}
