import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  isSignedBy,
  SIGNATURE_HEADER,
  sign,
} from "../../apps/server/src/platform/http/signature.ts";

/**
 * A payment provider as a separate program: `node payment-gateway.ts SECRET [BOOKS]`. It keeps
 * books, in a file if one is named, answers signed calls, and misbehaves as the test orders under
 * `/control`.
 */

export interface Fault {
  /** How many of the following calls go wrong. */
  readonly calls: number;
  /**
   * Never answers; answers 500; answers 422; answers nonsense, or nothing; does it and answers 500;
   * does it and answers correctly, but late; or a proxy in front of it answers in its own words.
   */
  readonly how:
    | "hang"
    | "500"
    | "422"
    | "nonsense"
    | "done-500"
    | "slow"
    | "empty"
    | `page-${number}`;
  readonly slowMs?: number;
}

export interface Payment {
  readonly id: string;
  readonly kind: "deposit" | "withdrawal";
  readonly reference: string;
  readonly callbackUrl: string;
  readonly returnUrl: string | null;
  readonly destination: string | null;
  readonly asked: Money;
  status: "pending" | "paid" | "failed";
  amount: Money;
  /** How often the call came. */
  calls: number;
}

interface Money {
  readonly minor: string;
  readonly currency: string;
}

/** How a payment ends, and how often the provider calls back about it, if at all. */
export interface Ending {
  readonly id: string;
  readonly status: Payment["status"];
  readonly minor?: string;
  readonly times: number;
  /** The call-back differs from the books. */
  readonly lie?: boolean;
}

const secret = process.argv[2] ?? "";
const file = process.argv[3];
const books = new Map<string, Payment>(file !== undefined && existsSync(file) ? readBooks() : []);
let fault: Fault = { calls: 0, how: "500" };
/** Numbers events so that those of different processes differ. */
let events = Date.now() * 1_000;

const server = createServer((request, response) => {
  void answer(request).then(
    (reply) => {
      if (reply === null) return;
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
    },
    (error) => {
      response.writeHead(500).end(String(error));
    },
  );
});
server.listen(0, "127.0.0.1", () => {
  // A server that listens on TCP has an address of this type.
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.once("disconnect", () => process.exit(0));

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Null for a call that is never answered. */
async function answer(request: IncomingMessage): Promise<Reply | null> {
  const path = request.url ?? "/";
  const text = await bodyOf(request);
  if (path.startsWith("/control/")) return control(path, text);
  const signature = request.headers[SIGNATURE_HEADER];
  const signed = Buffer.from(`${path}\n${text}`);
  if (Array.isArray(signature) || !isSignedBy(secret, signed, signature, Date.now())) {
    return { status: 401, body: { error: "signature" } };
  }
  if (fault.calls > 0) {
    fault = { ...fault, calls: fault.calls - 1 };
    const { how, slowMs = 0 } = fault;
    if (how === "hang") return null;
    if (how === "500") return { status: 500, body: "" };
    if (how === "422") return { status: 422, body: { code: "refused" } };
    if (how === "nonsense") return { status: 200, body: "<html>" };
    if (how === "empty") return { status: 200, body: "" };
    if (how.startsWith("page-")) return { status: Number(how.slice(5)), body: '{"message":"no"}' };
    if (how === "slow") await sleep(slowMs);
    const reply = serve(request.method ?? "", path, text);
    if (how === "slow") return reply;
    return { status: 500, body: "" };
  }
  return serve(request.method ?? "", path, text);
}

function serve(method: string, path: string, text: string): Reply {
  const [, folder = "", id = ""] = path.split("/");
  if (method === "GET") {
    const payment = books.get(decodeURIComponent(id));
    if (payment === undefined) return { status: 404, body: { code: "unknown" } };
    return { status: 200, body: { status: payment.status, amount: payment.amount } };
  }
  const given = JSON.parse(text);
  const existing = books.get(given.id);
  if (existing !== undefined) existing.calls += 1;
  const payment = existing ?? {
    id: given.id,
    kind: folder === "payments" ? "deposit" : "withdrawal",
    reference: `ref-${books.size + 1}`,
    callbackUrl: given.callbackUrl,
    returnUrl: given.returnUrl ?? null,
    destination: given.destination ?? null,
    asked: given.amount,
    status: "pending",
    amount: given.amount,
    calls: 1,
  };
  books.set(given.id, payment);
  keep();
  const payUrl = `https://pay.example.com/${payment.reference}`;
  return { status: 200, body: { reference: payment.reference, payUrl } };
}

async function control(path: string, text: string): Promise<Reply> {
  if (path === "/control/books") return { status: 200, body: [...books.values()] };
  if (path === "/control/forget") books.delete(JSON.parse(text).id);
  if (path === "/control/fault") fault = JSON.parse(text);
  if (path === "/control/end") return { status: 200, body: await end(JSON.parse(text)) };
  return { status: 200, body: {} };
}

/** Calls our server back as often as wanted; answers the statuses of its replies. */
async function end({ id, status, minor, times, lie = false }: Ending): Promise<number[]> {
  const payment = books.get(id);
  if (payment === undefined) throw new Error(`no payment ${id}`);
  const amount = { ...payment.asked, minor: minor ?? payment.asked.minor };
  if (!lie) {
    Object.assign(payment, { status, amount });
    keep();
  }
  events += 1;
  const event = { eventId: `gw-${events}`, kind: payment.kind, reference: id, status, amount };
  const body = JSON.stringify({ ...event, at: Date.now() });
  return Promise.all(
    Array.from({ length: times }, async () => {
      const told = await fetch(payment.callbackUrl, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [SIGNATURE_HEADER]: sign(secret, body, Date.now()),
        },
        body,
      });
      await told.arrayBuffer();
      return told.status;
    }),
  );
}

/** Writes the file atomically, since the process may be killed at any time. */
function keep(): void {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify([...books]));
  renameSync(`${file}.new`, file);
}

function readBooks(): [string, Payment][] {
  return JSON.parse(readFileSync(file ?? "", "utf8"));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
