import { z } from "zod";
import { loginReply } from "./auth.ts";
import { call } from "./call.ts";

export const EXTERNAL_PROVIDERS = ["google", "facebook"] as const;
export type ExternalProvider = (typeof EXTERNAL_PROVIDERS)[number];

/** Handed to the page in its address after the provider sent the player back; good once. */
const flow = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const externalLoginCalls = {
  "POST /api/v1/auth/external": call({
    summary: "Begin a login with Google or Facebook (OpenID Connect, PKCE): where to go",
    callers: ["visitor"],
    body: z.strictObject({ provider: z.enum(EXTERNAL_PROVIDERS) }),
    reply: z.object({ url: z.url() }),
    refusals: ["feature_off", "external_login_failed"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/external/finish": call({
    summary: "Finish it in the browser that began: a session, as any login gives",
    callers: ["visitor"],
    body: z.strictObject({ flow }),
    reply: loginReply,
    refusals: ["external_login_failed", "not_member_account", "not_agent_account", "feature_off"],
    rate: { max: 20, windowMs: 60_000 },
  }),
} as const;
