import { z } from "zod";
import { call } from "./call.ts";

export const invitationCalls = {
  "GET /api/v1/member/invitation": call({
    summary:
      "The caller's own invitation code, made at the first call, and the link that carries it",
    callers: ["member", "agent"],
    reply: z.object({ code: z.string(), url: z.url() }),
  }),
} as const;
