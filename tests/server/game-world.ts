import { setTimeout as sleep } from "node:timers/promises";
import { mintId } from "@perya/kernel/ids";
import type { BrandSettingsJson } from "../../apps/server/src/modules/brand/brand.ts";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import {
  availableOf,
  freshSeed,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "./fixtures.ts";
import { lockWaits } from "./lock-waits.ts";

/**
 * What the tests of a game begin with: a database, the ledgers of two processes, a brand and its
 * players. All is closed after the tests of the file that opened it.
 */
export async function openGameWorld(seed: string, settings: Partial<BrandSettingsJson> = {}) {
  const clock = manualClock();
  const entropy = seededEntropy(freshSeed(seed));
  const db = await databaseOfFile();
  const ledger = ledgerOfFile(db);
  const merchant = await makeBrand(db.pool, clock, { settings });
  const walletOf = (session: Session) => accountOf(session.memberId, session.currency);
  return {
    clock,
    entropy,
    db,
    ledger,
    /** Another process's. */
    otherLedger: ledgerOfFile(db),
    merchant,
    walletOf,
    betId: () => mintId("bet", clock.now(), entropy.bytes(16)),

    player(balance: bigint, brand = merchant, type = 0): Promise<Session> {
      return makeMember({ pool: db.pool, ledger, clock }, brand, { balance, type });
    },

    available(session: Session): Promise<bigint> {
      return availableOf(ledger, walletOf(session));
    },

    async entriesOf(session: Session, kind: "win" | "bet"): Promise<number> {
      const page = { beforeSeq: null, limit: 50 };
      return (await ledger.history(walletOf(session), page, [kind])).entries.length;
    },

    /** Two rich players, in the order in which the bets of a game are settled. */
    async twoInOrder(): Promise<[Session, Session]> {
      const orderOf = (session: Session) => {
        const { lane, id } = walletOf(session);
        return `${String(lane).padStart(3, "0")} ${id}`;
      };
      const [one, two] = [await this.player(100_000n), await this.player(100_000n)];
      return orderOf(one) < orderOf(two) ? [one, two] : [two, one];
    },

    /** Holds it as a process does that was stopped in the middle of a batch; answers what frees it. */
    async holdWallet(session: Session): Promise<() => Promise<void>> {
      const { lane, id } = walletOf(session);
      const client = await db.pool.connect();
      await client.query("BEGIN");
      const wallet = "SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE";
      await client.query(wallet, [lane, id]);
      return async () => {
        await client.query("ROLLBACK");
        client.release();
      };
    },

    /** Resolves once some connection of the ledger waits for a row's lock. */
    async lockAwaited(): Promise<void> {
      for (;;) {
        if ((await lockWaits(db.pool, { application: "perya-ledger" })) !== 0) return;
        await sleep(5);
      }
    },
  };
}
