import { type Command, Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";

/**
 * A server process reduced to its ledger: takes orders from its parent, answers each when the
 * ledger has answered, and ends when its parent says so. `startLedgerWorker` starts it.
 */

export interface Order {
  readonly does: "credit" | "debit" | "hold";
  readonly command: Command;
}

export interface Answer {
  readonly key: string;
  /** The entry under the key, or the reason why there is none. */
  readonly outcome:
    | { readonly seq: bigint; readonly balanceAfter: bigint; readonly repeated: boolean }
    | { readonly refused: string };
}

export type WorkerMessage =
  | { readonly type: "ready" }
  | { readonly type: "answer"; readonly answer: Answer }
  | { readonly type: "trouble"; readonly message: string }
  | { readonly type: "closed" };

export type ParentMessage =
  | { readonly type: "orders"; readonly orders: readonly Order[] }
  | { readonly type: "close" };

const url = process.argv[2] ?? "";
const pool = createPool(url, { max: 2, log: createLogger({ level: "silent" }) });
const ledger = new Ledger({
  databaseUrl: url,
  pool,
  onTrouble: (error, what) => tell({ type: "trouble", message: `${what}: ${error.message}` }),
});

process.on("message", (message: ParentMessage) => {
  if (message.type === "close") return void close();
  for (const order of message.orders) void obey(order);
});
// The process ends with its parent, so that a failed test leaves none behind.
process.on("disconnect", () => process.exit(0));
tell({ type: "ready" });

async function obey({ does, command }: Order): Promise<void> {
  const outcome = await ledger[does](command);
  const answer = outcome.ok
    ? {
        seq: outcome.value.seq,
        balanceAfter: outcome.value.balanceAfter,
        repeated: outcome.value.repeated,
      }
    : { refused: outcome.error.code };
  tell({ type: "answer", answer: { key: command.key, outcome: answer } });
}

async function close(): Promise<void> {
  await ledger.close();
  await pool.end();
  tell({ type: "closed" });
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
