import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Ending, Fault, Payment } from "./payment-gateway.ts";

export interface PaymentGateway {
  readonly url: string;
  /** Makes the calls that follow go wrong. */
  fault(fault: Fault): Promise<void>;
  /** Ends a payment and calls our server back; answers the statuses of our server's replies. */
  end(ending: Ending): Promise<number[]>;
  books(): Promise<Payment[]>;
  /** Forgets the payment, as if it had never heard of it. */
  forget(id: string): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** SIGKILL. */
  stop(): Promise<void>;
}

/**
 * Starts the payment provider in a separate process.
 * @param books the file of its books, with which its next process goes on; else they are in memory
 */
export async function startPaymentGateway(secret: string, books?: string): Promise<PaymentGateway> {
  const script = fileURLToPath(new URL("./payment-gateway.ts", import.meta.url));
  const child = fork(script, books === undefined ? [secret] : [secret, books], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = await once(child, "message");
  const url = `http://127.0.0.1:${port}`;

  async function control(path: string, body: object = {}) {
    const answer = await fetch(`${url}/control/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the payment provider: ${text}`);
    return JSON.parse(text);
  }

  return {
    url,
    fault: (fault) => control("fault", fault),
    end: (ending) => control("end", ending),
    books: () => control("books"),
    forget: (id) => control("forget", { id }),
    signal: (name) => void child.kill(name),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
