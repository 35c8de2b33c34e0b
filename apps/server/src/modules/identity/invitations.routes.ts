import type { invitationCalls } from "@perya/contract/invitation";
import { ok } from "@perya/kernel/result";
import type { Routes } from "./identity.ts";
import type { Invitations } from "./invitations.ts";

export function invitationRoutes(
  invitations: Invitations,
  publicUrl: string,
): Routes<typeof invitationCalls> {
  return {
    "GET /api/v1/member/invitation": async ({ session }) => {
      const code = await invitations.codeOf(session);
      return ok({ code, url: `${publicUrl}/m/register?id=${code}` });
    },
  };
}
