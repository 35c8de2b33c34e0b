import type { Clock, Entropy } from "@perya/kernel/instant";
import type pg from "pg";
import { findOwnInvitationCode, insertInvitationCode } from "./invitations.store.ts";

/** Letters and digits that cannot be taken for one another when read aloud: 32 of them. */
const SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

export interface Invitations {
  /**
   * The member's own invitation code in capital letters, made at the first request; the oldest if
   * there are several.
   */
  codeOf(member: { readonly merchantId: string; readonly memberId: string }): Promise<string>;
}

export function createInvitations(pool: pg.Pool, clock: Clock, entropy: Entropy): Invitations {
  return {
    async codeOf(member) {
      let code = await findOwnInvitationCode(pool, member);
      while (code === null) {
        await insertInvitationCode(pool, { ...member, code: mintCode(entropy) }, clock.now());
        // Read again: another request may have been first, or another member may have the code.
        code = await findOwnInvitationCode(pool, member);
      }
      return code;
    },
  };
}

function mintCode(entropy: Entropy): string {
  // 32 characters divide a byte's 256 values evenly, so each is equally likely.
  return [...entropy.bytes(CODE_LENGTH)].map((byte) => SIGNS[byte % SIGNS.length]).join("");
}
