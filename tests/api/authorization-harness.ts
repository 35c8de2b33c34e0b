import { randomInt } from "node:crypto";
import { expect } from "vitest";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { makeBrand, makeLedger } from "../server/fixtures.ts";
import { freshId, type Received, sealBody, sendTo, startServer } from "./running-server.ts";

/** The demo brand's host, and the other brand's. */
export const HERE = "localhost";
export const THERE = "fiesta.test";
/** The password of every player. */
export const PASSWORD = "Fiesta2026";

/** Session types as the specification has them, and the caller that each counts as. */
export const KINDS = {
  member: { type: 0, caller: "member", real: true },
  agent: { type: 1, caller: "agent", real: true },
  "sub-agent": { type: 2, caller: "agent", real: true },
  trial: { type: 4, caller: "trial", real: false },
  "internal 40": { type: 40, caller: "member", real: false },
  "internal 41": { type: 41, caller: "agent", real: false },
  "internal 42": { type: 42, caller: "agent", real: false },
} as const;
export type Kind = keyof typeof KINDS;

export interface Player {
  readonly id: string;
  readonly host: string;
  readonly username: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Sender = Pick<Player, "host" | "headers">;

export interface Input {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  /** The browser's other cookies. */
  readonly cookie?: string | undefined;
}

export const declared = Object.entries<Call>(calls);

export type AuthorizationHarness = Awaited<ReturnType<typeof openAuthorizationHarness>>;

/** The whole server with two brands and players of every kind. `close` it at the end. */
export async function openAuthorizationHarness() {
  // Nothing answers there: external logins are on offer, and these tests make up their results.
  const outside = { clientId: "perya", clientSecret: "a secret", issuer: "http://127.0.0.1:9" };
  const server = await startServer({ google: outside, facebook: outside });
  const { pool } = server.database;
  const ledger = makeLedger(server.database);
  await makeBrand(pool, systemClock, { hosts: [THERE] });

  async function send(key: string, player: Player | null, input: Input): Promise<Received> {
    const [method = "", template = ""] = key.split(" ");
    const call = declared.find(([name]) => name === key)?.[1];
    const path = template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(input.params?.[name])),
    );
    const given = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const address = query.size === 0 ? path : `${path}?${query}`;
    const { host, headers: own }: Sender = player ?? { host: HERE, headers: {} };
    const cookies = [own.cookie, input.cookie].filter((cookie) => cookie !== undefined);
    const headers = cookies.length === 0 ? own : { ...own, cookie: cookies.join("; ") };
    if (call?.encrypted === true) {
      const body = await sealBody(server, { host, call: key, body: input.body });
      const sealed = { ...headers, ...body.headers };
      return sendTo(server, method, address, { host, headers: sealed, body: { data: body.data } });
    }
    const body = call?.body === undefined ? undefined : (input.body ?? null);
    return sendTo(server, method, address, { host, headers, body });
  }

  /** A session whose owner has also just proved who they are. */
  async function logIn(host: string, username: string): Promise<Player["headers"]> {
    const visitor = { id: "", host, username, headers: {} };
    const body = { type: "username", username, password: PASSWORD };
    const { status, json, cookie } = await send("POST /api/v1/auth/login", visitor, { body });
    expect(status, JSON.stringify(json)).toBe(200);
    const headers = { authorization: `Bearer ${json.value.token}`, cookie };
    // Set in the database: after a call the server would cache the session for a second.
    await pool.query(
      `UPDATE sessions SET proven_at = now()
       WHERE storage_half_hash = sha256(convert_to($1, 'UTF8'))`,
      [json.value.token],
    );
    return headers;
  }

  /** Registers a player, gives them the wanted type and money, and logs them in. */
  async function newPlayer(host: string, type: number): Promise<Player> {
    if (type === KINDS.trial.type) {
      const path = "/api/v1/auth/test-play";
      const { json, cookie } = await sendTo(server, "POST", path, { host, body: {} });
      const headers = { authorization: `Bearer ${json.value.token}`, cookie };
      return { id: "", host, username: json.value.userName, headers };
    }
    const body = registration();
    const { username } = body;
    const visitor = { id: "", host, username, headers: {} };
    const registered = await send("PUT /api/v1/auth/register", visitor, { body });
    expect(registered.status, JSON.stringify(registered.json)).toBe(200);
    const { rows } = await pool.query<{ id: string }>(
      // The house gives gifts only to players with a verified number.
      `UPDATE members SET type = $2, dialing_code = '+63', mobile_num = $3, mobile_verified_at = now()
       WHERE username = $1 RETURNING id`,
      [username, type, `917${`${randomInt(10_000_000)}`.padStart(7, "0")}`],
    );
    const id = rows[0]?.id ?? "";
    const paid = await ledger.credit({
      account: accountOf(id, "PHP"),
      key: "opening",
      amount: 10_000_00n,
      counterAccount: "bonus:test",
      kind: "bonus",
      ref: null,
      at: systemClock.now(),
    });
    expect(paid.ok).toBe(true);
    return { id, host, username, headers: await logIn(host, username) };
  }

  const made: Partial<Record<Kind, Player>> = {};
  for (const kind of Object.keys(KINDS) as Kind[]) {
    made[kind] = await newPlayer(HERE, KINDS[kind].type);
  }

  return {
    pool,
    ledger,
    // The loop above made one of each.
    players: made as Record<Kind, Player>,
    /** A second member of the same brand, and one of another brand. */
    other: await newPlayer(HERE, KINDS.member.type),
    foreign: await newPlayer(THERE, KINDS.member.type),
    send,
    logIn,
    newPlayer,

    async close(): Promise<void> {
      await ledger.close();
      await server.stop();
    },
  };
}

/** A registration that the brands accept, under an unused name. */
export function registration() {
  return {
    username: `p${freshId("member").slice(-12)}`,
    password: PASSWORD,
    confirmPassword: PASSWORD,
    registerMethod: "H5",
    type: 0,
    agreed: true,
  };
}
