import { z } from "zod";
import { dialingCode, mobileNum } from "./account-fields.ts";
import { call } from "./call.ts";
import { instantWire } from "./wire.ts";

const SMS_PURPOSES = ["register", "login", "reset"] as const;

export const smsCalls = {
  "GET /api/v1/auth/human-check": call({
    summary: "A proof-of-work challenge (ALTCHA); a solution passes once",
    callers: ["visitor"],
    reply: z.object({
      algorithm: z.string(),
      challenge: z.string(),
      salt: z.string(),
      signature: z.string(),
      maxnumber: z.number().int(),
    }),
    rate: { max: 60, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/sms-code": call({
    summary: "Send a code by SMS; needs no login, and a solved human check",
    callers: ["visitor"],
    regional: true,
    body: z.strictObject({
      purpose: z.enum(SMS_PURPOSES),
      countryDialingCode: dialingCode,
      mobileNum,
      /** Base64 of the solved challenge, as the ALTCHA widget makes it. */
      humanCheck: z.string().min(1).max(2_000),
    }),
    reply: z.object({
      /** When the player may ask for another code. */
      expirationTime: instantWire,
    }),
    refusals: ["human_check_failed", "message_unavailable", "feature_off"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "GET /api/v1/countries": call({
    summary: "Countries with their dialling codes, the brand's own first",
    callers: ["visitor"],
    reply: z.object({
      countries: z.array(
        z.object({
          /** ISO 3166-1 alpha-2; the browser names it in the player's language. */
          code: z.string().length(2),
          dialingCode,
          /** The fewest digits of a number in this country. */
          minDigits: z.number().int(),
        }),
      ),
    }),
  }),
} as const;
