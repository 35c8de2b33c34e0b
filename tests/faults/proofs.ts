import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freshId } from "../../packages/client/src/ids.ts";
import type { LineCounts, TcpLine } from "../setup/tcp-line.ts";
import type { Site } from "./site.ts";
import type { Seat } from "./world.ts";

/** What nobody should wait for who has no business with what is away. */
const PROMPT_MS = 2_000;
const SOON_MS = 10_000;

/** Throws where a fault had no effect: what was played through it then shows nothing. */
export function bit(what: string, did: boolean): void {
  if (!did) throw new Error(`the fault had no effect: it was to be that ${what}`);
}

/** As `bit`, of what shows itself in time. */
export async function bitSoon(
  what: string,
  did: () => boolean | Promise<boolean>,
  withinMs = SOON_MS,
): Promise<void> {
  const by = performance.now() + withinMs;
  while (!(await did())) {
    bit(what, performance.now() < by);
    await sleep(50);
  }
}

/** Undoes a fault even where a proof fails, so that the next fault is met by a whole site. */
export async function whileItLasts(
  proofs: () => Promise<void>,
  undo: () => unknown,
): Promise<void> {
  try {
    await proofs();
  } finally {
    await undo();
  }
}

/** What lines count from now on, all together. */
export function countFrom(...lines: readonly TcpLine[]): (what: keyof LineCounts) => number {
  const before = lines.map(({ counts }) => ({ ...counts }));
  return (what) =>
    lines.reduce((sum, { counts }, n) => sum + counts[what] - (before[n]?.[what] ?? 0), 0);
}

/** Whether somebody's round is taken in time, by one server. */
export async function isServed(site: Site, seat: Seat, withinMs: number, server = 0) {
  const startedAt = performance.now();
  const body = { id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } };
  const { status } = await post(site, seat, "/api/v1/rounds", { body, withinMs, server }).catch(
    () => ({ status: 0 }),
  );
  return status === 200 && performance.now() - startedAt <= withinMs;
}

/**
 * A round is played while something that it has no business with is away. A busy machine may hold
 * one up; what waits for who is away is held up each time.
 */
export async function playsOn(site: Site, seat: Seat, server = 0): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    if (await isServed(site, seat, PROMPT_MS, server)) return;
  }
  throw new Error(`no round of three was taken within ${PROMPT_MS} ms`);
}

export async function post(
  site: Site,
  seat: Seat,
  path: string,
  { body, withinMs = 20_000, server = 0 }: { body: object; withinMs?: number; server?: number },
) {
  const answer = await fetch(`${site.lines[server]?.url}${path}`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${seat.token}`, cookie: seat.cookie, connection: "close" },
      ...{ "x-forwarded-for": seat.address, "content-type": "application/json" },
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(withinMs),
  });
  return { status: answer.status, ...(await answer.json()) };
}

/** The code that PostgreSQL refuses a statement with; null where it does it. */
export async function faultOf(site: Site, sql: string): Promise<string | null> {
  return site.database.ask(sql).then(
    () => null,
    (error: { code?: string }) => error.code ?? "",
  );
}

/** Whether anybody answers there, and soon. */
export async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/livez`, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

/** What a server says of the Redis that it shares. */
export async function redisAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
  return (await answer.json()).redis;
}

/** How far the clock of a server's machine is ahead, and how far what it tells its callers. */
export async function clocksOf(url: string): Promise<{ machineMs: number; toldMs: number }> {
  const answer = await fetch(`${url}/api/v1/encryption-key`);
  const { value } = await answer.json();
  const machine = Date.parse(answer.headers.get("date") ?? "");
  return { machineMs: machine - Date.now(), toldMs: value.now - Date.now() };
}

/** Whether a vendor has written down anything since. */
export function writesOf(site: Site): () => boolean {
  const size = () => statSync(site.journals[1] ?? "").size;
  const before = size();
  return () => size() > before;
}
