import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { constraintOf } from "../../../platform/postgres/violations.ts";
import type { Merchant } from "../../brand/brand.ts";
import { insertMember, type NewMember } from "../members/members.store.ts";

/** What identity needs of the wallets, which it does not know. */
export interface Wallets {
  open(client: pg.ClientBase, member: OpenedMember): Promise<void>;
  giveTrialCredit(member: OpenedMember, amountMinor: bigint): Promise<void>;
}

interface OpenedMember {
  readonly id: string;
  readonly merchant: Merchant;
  readonly type: number;
}

export type AddMember = (
  merchant: Merchant,
  member: NewMember,
  also?: (client: pg.ClientBase) => Promise<void>,
) => Promise<"added" | "username_taken" | "mobile_taken" | "email_taken">;

export function memberAdder(pool: pg.Pool, clock: Clock, wallets: Wallets): AddMember {
  return async (merchant, member, also = async () => undefined) => {
    try {
      return await withTransaction(pool, async (client) => {
        const added = await insertMember(client, member, clock.now());
        if (!added) return "username_taken";
        await wallets.open(client, { id: member.id, merchant, type: member.type });
        await also(client);
        return "added";
      });
    } catch (error) {
      // Another member verified the same number or address at the same moment.
      const constraint = constraintOf(error);
      if (constraint === "members_mobile") return "mobile_taken";
      if (constraint === "members_email") return "email_taken";
      throw error;
    }
  };
}
