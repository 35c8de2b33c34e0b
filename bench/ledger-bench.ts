import { accountOf, Ledger } from "../apps/server/src/modules/ledger/ledger.ts";
import { createLogger } from "../apps/server/src/platform/log.ts";
import { createPool } from "../apps/server/src/platform/postgres/pool.ts";
import { hammer, interleave, ratioTable, type Table } from "./measure.ts";
import type { Pgbench } from "./pgbench.ts";

const ACCOUNTS = 5_000;
const ROUND_MS = 3_000;
const ROUNDS = 5;
const BASELINE = "pgbench simple-update -c 16";

/** Bets per second through the ledger in this process, beside pgbench on the same server. */
export async function benchLedger(databaseUrl: string, pgbench: Pgbench | null): Promise<Table> {
  const pool = createPool(databaseUrl, { max: 4, log: createLogger({ level: "error" }) });
  const ledger = new Ledger({ databaseUrl, pool, onTrouble: console.error });
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) =>
    accountOf(`mem_bench${String(i).padStart(21, "0")}`, "PHP"),
  );
  const owner = { merchantId: "mer_bench", ownerId: "bench", kind: "cash" };
  for (const account of accounts) await ledger.open(pool, account, owner, Date.now());
  await Promise.all(
    accounts.map((account) =>
      ledger.credit({
        ...movement("deposit", account, "opening"),
        amount: 1_000_000_000_000n,
        counterAccount: "payment:bench",
      }),
    ),
  );
  let run = 0;
  const bets = (inFlight: number) => ({
    name: `ledger, ${inFlight} in flight`,
    run: () => {
      const name = run++;
      return hammer(inFlight, ROUND_MS, async (caller, turn) => {
        const account = accounts[Math.floor(Math.random() * ACCOUNTS)] ?? accounts[0];
        if (account === undefined) throw new Error("no account");
        const outcome = await ledger.debit(movement("bet", account, `${name}:${caller}:${turn}`));
        if (!outcome.ok) throw new Error(outcome.error.code);
      });
    },
  });
  const baseline =
    pgbench === null ? [] : [{ name: BASELINE, run: () => pgbench.simpleUpdate(ROUND_MS / 1_000) }];
  const standings = await interleave([bets(64), bets(256), bets(512), ...baseline], ROUNDS);
  const faults = await ledger.verify();
  await ledger.close();
  await pool.end();
  if (faults.length > 0) throw new Error(`the ledger does not verify: ${JSON.stringify(faults)}`);
  return ratioTable(
    "Bets through the ledger, in process",
    standings,
    BASELINE,
    `${ACCOUNTS} accounts, durable commits, ${ROUNDS} interleaved rounds; verified afterwards.`,
  );
}

function movement(kind: "bet" | "deposit", account: ReturnType<typeof accountOf>, key: string) {
  return {
    account,
    key: `bench:${key}`,
    amount: 100n,
    counterAccount: "vendor:bench",
    kind,
    ref: "rnd_00000000000000000000000000",
    at: Date.now(),
  };
}
