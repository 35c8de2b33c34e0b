import type { Account, Command, Outcome } from "../../apps/server/src/modules/ledger/ledger.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { ledgerOfFile, makeWallet, manualClock } from "./fixtures.ts";

/** Two ledgers on one database, with wallets and commands for their tests. */
export async function openLedgers() {
  const clock = manualClock();
  const db = await databaseOfFile();
  const ledger = ledgerOfFile(db, []);
  /** Replaces another process: its own connections and no memory of recent keys. */
  const other = ledgerOfFile(db, []);
  let owners = 0;

  /** The database answers every booking with this code, until it is given back. */
  async function takeAway(code: string): Promise<() => Promise<void>> {
    await db.pool.query(
      `CREATE FUNCTION test_away() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '${code}'; END $$;
       CREATE TRIGGER test_away BEFORE INSERT ON ledger_entries EXECUTE FUNCTION test_away()`,
    );
    return async () => void (await db.pool.query("DROP FUNCTION test_away CASCADE"));
  }

  function freshWallet(balance: bigint): Promise<Account> {
    owners += 1;
    return makeWallet({ pool: db.pool, ledger, clock }, `mem_test${owners}`, balance);
  }

  function command(account: Account, key: string, amount: bigint): Command {
    return {
      account,
      key,
      amount,
      counterAccount: "house:test",
      kind: "bet",
      ref: null,
      at: clock.now(),
    };
  }

  return { ...{ clock, db, ledger, other }, ...{ takeAway, freshWallet, command } };
}

export function receipt(outcome: Outcome) {
  if (!outcome.ok) throw new Error(`refused: ${outcome.error.code}`);
  return outcome.value;
}

export function refusedCode(outcome: Outcome): string {
  return outcome.ok ? "was taken" : outcome.error.code;
}
