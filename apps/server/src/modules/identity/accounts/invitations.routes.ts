import type { invitationCalls } from "@perya/contract/invitation";
import { ok } from "@perya/kernel/result";
import { originsOf } from "../../brand/brand.ts";
import type { Routes } from "../sessions/routes.ts";
import type { Invitations } from "./invitations.ts";

export function invitationRoutes(
  invitations: Invitations,
  publicUrl: string,
): Routes<typeof invitationCalls> {
  return {
    "GET /api/v1/member/invitation": async ({ merchant, session }) => {
      const code = await invitations.codeOf(session);
      const [origin] = originsOf(merchant, publicUrl);
      return ok({ code, url: `${origin}/m/register?id=${code}` });
    },
  };
}
