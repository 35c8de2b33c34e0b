import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freshId } from "../../packages/client/src/ids.ts";
import type { LineCounts, TcpLine } from "../setup/tcp-line.ts";
import type { Site } from "./site.ts";
import type { Seat } from "./world.ts";

/** No caller who does not need the missing part should wait longer. */
const PROMPT_MS = 2_000;
const SOON_MS = 10_000;

/** Throws if a fault had no effect: play during it would prove nothing. */
export function bit(what: string, did: boolean): void {
  if (!did) throw new Error(`the fault had no effect: it was to be that ${what}`);
}

/** Like `bit`, for an effect that shows after some time. */
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

/** Undoes a fault even if a proof fails, so that the next fault meets a whole site. */
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

/** The sum of all lines' counts from now on. */
export function countFrom(...lines: readonly TcpLine[]): (what: keyof LineCounts) => number {
  const before = lines.map(({ counts }) => ({ ...counts }));
  return (what) =>
    lines.reduce((sum, { counts }, n) => sum + counts[what] - (before[n]?.[what] ?? 0), 0);
}

/** Whether one server accepts a player's round in time. */
export async function isServed(site: Site, seat: Seat, withinMs: number, server = 0) {
  const startedAt = performance.now();
  const body = { id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } };
  const { status } = await post(site, seat, "/api/v1/rounds", { body, withinMs, server }).catch(
    () => ({ status: 0 }),
  );
  return status === 200 && performance.now() - startedAt <= withinMs;
}

/**
 * Plays a round while a part that it does not need is away. A busy machine may delay one round; a
 * round that waits for the missing part is delayed each time.
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

/** The code with which PostgreSQL refuses a statement; null if it executes it. */
export async function faultOf(site: Site, sql: string): Promise<string | null> {
  return site.database.ask(sql).then(
    () => null,
    (error: { code?: string }) => error.code ?? "",
  );
}

/** Whether a server answers there within a second. */
export async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/livez`, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

/** A server's report about its shared Redis. */
export async function redisAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
  return (await answer.json()).redis;
}

/** How far a server's machine clock is ahead, and how far the time that it tells callers. */
export async function clocksOf(url: string): Promise<{ machineMs: number; toldMs: number }> {
  const answer = await fetch(`${url}/api/v1/encryption-key`);
  const { value } = await answer.json();
  const machine = Date.parse(answer.headers.get("date") ?? "");
  return { machineMs: machine - Date.now(), toldMs: value.now - Date.now() };
}

/** Whether the vendor has written to its journal since. */
export function writesOf(site: Site): () => boolean {
  const size = () => statSync(site.journals[1] ?? "").size;
  const before = size();
  return () => size() > before;
}
