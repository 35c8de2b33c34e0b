import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Order, ParentMessage, WorkerMessage } from "./ledger-worker.ts";

export interface LedgerWorker {
  /** Hands orders over without waiting for their answers. */
  send(orders: readonly Order[]): void;
  /** Everything that was acknowledged, in the order of arrival. */
  readonly answers: readonly Answer[];
  readonly troubles: readonly string[];
  /** Waits until this many orders were answered. */
  answered(count: number): Promise<void>;
  /** SIGKILL, in the middle of its work. */
  kill(): Promise<void>;
  /** Lets it finish and close its connections. */
  close(): Promise<void>;
}

/** Starts a second server process on the same database. */
export async function startLedgerWorker(databaseUrl: string): Promise<LedgerWorker> {
  const script = fileURLToPath(new URL("./ledger-worker.ts", import.meta.url));
  const child: ChildProcess = fork(script, [databaseUrl], {
    execArgv: ["--import", "tsx"],
    // Structured clone carries bigint; JSON does not.
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answers: Answer[] = [];
  const troubles: string[] = [];
  const waiting = new Set<() => void>();
  let ready = false;
  let closed = false;
  child.on("message", (message: WorkerMessage) => {
    if (message.type === "answer") answers.push(message.answer);
    if (message.type === "trouble") troubles.push(message.message);
    if (message.type === "ready") ready = true;
    if (message.type === "closed") closed = true;
    for (const look of waiting) look();
  });
  const until = (done: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!done() && child.exitCode === null && child.signalCode === null) return;
        waiting.delete(look);
        if (done()) resolve();
        else reject(new Error("the ledger worker ended before it was done"));
      };
      waiting.add(look);
      child.once("exit", look);
      look();
    });
  const tell = (message: ParentMessage) => void child.send(message);
  await until(() => ready);
  return {
    answers,
    troubles,
    send: (orders) => tell({ type: "orders", orders }),
    answered: (count) => until(() => answers.length >= count),
    kill: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    close: async () => {
      const exited = once(child, "exit");
      tell({ type: "close" });
      await until(() => closed);
      child.disconnect();
      await exited;
    },
  };
}
