import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import { BOOKS } from "../../apps/server/src/books.ts";
import { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import type { Chance } from "./chance.ts";
import {
  type Entry,
  type Family,
  type RoundEnd,
  readJournal,
  type VendorRound,
} from "./journal.ts";
import { KEYS } from "./players.ts";
import { post } from "./proofs.ts";
import type { Site } from "./site.ts";
import { OUTSIDE_METHOD } from "./world.ts";

/** Where a command of each family stands, by the id that the player's browser made. */
const TABLES: Readonly<Record<Family, string>> = {
  round: "SELECT round_id AS id FROM house_rounds WHERE round_id = ANY($1)",
  ticket: "SELECT id FROM lottery_tickets WHERE id = ANY($1)",
  slip: "SELECT id FROM sports_bets WHERE id = ANY($1)",
  kite: "SELECT id FROM saranggola_bets WHERE id = ANY($1)",
  deposit: "SELECT id FROM deposits WHERE id = ANY($1)",
  withdrawal: "SELECT id FROM withdrawals WHERE id = ANY($1)",
};
const FAMILIES = Object.keys(TABLES) as Family[]; // of this very table

/** What is to go on by itself, and does not. Stamps of rows do not count: clocks are doctored. */
const WAITING = `
  SELECT 'withdrawal ' || id || ' ' || state AS what FROM withdrawals
    WHERE state IN ('approved', 'sent') OR (state = 'held' AND wait_reasons = '{}')
  UNION ALL SELECT 'deposit ' || id || ' ' || state FROM deposits
    WHERE state IN ('created', 'pending') AND method = '${OUTSIDE_METHOD}'
  UNION ALL SELECT 'flight ' || id || ' ' || phase FROM saranggola_rounds
    WHERE phase IN ('waiting', 'flying')
  UNION ALL SELECT 'kite bet ' || b.id FROM saranggola_bets b
    JOIN saranggola_rounds r ON r.id = b.round_id
    WHERE b.state = 'placed' AND r.phase IN ('crashed', 'voided')
  UNION ALL SELECT 'draw ' || id FROM lottery_draws WHERE settled_at IS NULL AND draws_at < now()
  UNION ALL SELECT 'fixture ' || id FROM sports_fixtures WHERE settled_at IS NULL AND ends_at < now()
  UNION ALL SELECT 'rain ' || id FROM red_rains WHERE closed_at IS NULL AND ends_at < now()
  UNION ALL SELECT 'job ' || task_identifier || ' ' || id || ' ' || run_at::text
    FROM graphile_worker.jobs WHERE run_at < now()`;
/** A dead worker's job runs again (orphans.ts), and the sweep looks, within a minute each. */
const PATIENCE_MS = 150_000;
/** So many of the commands that were answered lately are sent again. */
const REPEATED = 6;
/** What each journal says where somebody was served. */
const YESES = [
  { type: "done", who: "no player is" },
  { type: "ended", who: "no vendor is" },
] as const;
const VENDOR_ENDS: Readonly<Record<RoundEnd, (round: VendorRound) => string>> = {
  lost: () => "settled 0",
  won: ({ winMinor }) => `settled ${winMinor}`,
  "rolled back": () => "voided 0",
  refused: () => "none",
};

interface Answered {
  readonly id: string;
  readonly what: Family;
  readonly body: object;
  readonly reply: object;
}

export interface Counts {
  /** Intentions that were answered by yes. */
  done: number;
  refused: number;
  /** Rounds of vendors that ended. */
  rounds: number;
  repeats: number;
}

/** Holds what those outside were told against what the product's books say. */
export class Auditor {
  readonly counts: Counts = { done: 0, refused: 0, rounds: 0, repeats: 0 };
  readonly #site: Site;
  readonly #chance: Chance;
  readonly #read: number[] = [];
  readonly #meant = new Map<string, { readonly what: Family; readonly body: object }>();
  readonly #rounds = new Map<string, VendorRound>();
  readonly #waitsSince = new Map<string, number>();

  constructor(site: Site, chance: Chance) {
    this.#site = site;
    this.#chance = chance;
  }

  /** Whether players and vendors are answered by yes again, in time. */
  async hearYes(withinMs: number): Promise<string[]> {
    const lengths = this.#site.journals.map((path, n) => readJournal(path, this.#read[n]).next);
    const by = performance.now() + withinMs;
    for (;;) {
      const deaf = YESES.filter(
        ({ type }, n) =>
          !readJournal(this.#site.journals[n] ?? "", lengths[n]).entries.some(
            (entry) => entry.type === type,
          ),
      );
      if (deaf.length === 0) return [];
      if (performance.now() > by) return deaf.map(({ who }) => `${who} answered by yes`);
      await sleep(100);
    }
  }

  /**
   * What is wrong by what was told since the last look; nothing where all is as it was told.
   * @param orderly nothing was broken meanwhile, so that no answer may have broken off
   */
  async look(orderly = false): Promise<string[]> {
    const fresh = this.#site.journals.flatMap((path, index) => {
      const { entries, next } = readJournal(path, this.#read[index]);
      this.#read[index] = next;
      return entries;
    });
    return this.#onPool(async (pool) => [
      ...fresh.flatMap((entry) => (entry.type === "odd" ? [entry.what] : [])),
      ...fresh.flatMap((entry) =>
        entry.type === "cut" && orderly ? [`${entry.what} broke off`] : [],
      ),
      ...this.#site.orphans.takeLate(),
      ...(await this.#answers(pool, fresh)),
      ...(await this.#vendorRounds(pool, fresh)),
      ...(await this.#books(pool)),
      ...(await this.#waiting(pool)),
    ]);
  }

  /** Nobody asks for more; all that was begun ends in time, and the provider's books agree. */
  async finish(): Promise<string[]> {
    await this.#site.rest();
    const found = await this.look();
    const standing = new Set(this.#waitsSince.keys());
    while ([...standing].some((what) => this.#waitsSince.has(what))) {
      const late = await this.#onPool((pool) => this.#waiting(pool));
      if (late.length > 0) return [...found, ...late];
      await sleep(1_000);
    }
    while (!this.#site.orphans.areNone) await sleep(1_000);
    const late = this.#site.orphans.takeLate();
    return [...found, ...late, ...(await this.#onPool((pool) => this.#payments(pool)))];
  }

  async #onPool<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    const log = createLogger({ level: "silent" });
    const pool = createPool(this.#site.database.url, { max: 2, log });
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  }

  /** Once each where it was answered by yes, never where it was answered by no. */
  async #answers(pool: pg.Pool, fresh: readonly Entry[]): Promise<string[]> {
    for (const entry of fresh) {
      if (entry.type === "meant") this.#meant.set(entry.id, entry);
    }
    const found: string[] = [];
    const done: Answered[] = [];
    const wanted = new Map<string, { what: Family; times: number; told: string }>();
    for (const entry of fresh) {
      if (entry.type !== "done" && entry.type !== "refused") continue;
      const meant = this.#meant.get(entry.id);
      if (meant === undefined) throw new Error(`nobody meant ${entry.id}`);
      const yes = entry.type === "done";
      const told = yes ? "yes" : entry.code;
      wanted.set(entry.id, { what: meant.what, times: yes ? 1 : 0, told });
      this.counts[entry.type] += 1;
      this.#meant.delete(entry.id);
      if (yes) done.push({ ...meant, id: entry.id, reply: entry.reply });
    }
    for (const family of FAMILIES) {
      const ids = [...wanted].flatMap(([id, { what }]) => (what === family ? [id] : []));
      const { rows } = await pool.query<{ id: string }>(TABLES[family], [ids]);
      const times = new Map<string, number>();
      for (const { id } of rows) times.set(id, (times.get(id) ?? 0) + 1);
      for (const id of ids) {
        const one = wanted.get(id);
        const stands = times.get(id) ?? 0;
        if (stands !== one?.times)
          found.push(`${family} ${id} was told ${one?.told}, stands ${stands} times`);
      }
    }
    return [...found, ...(await this.#repeats(done))];
  }

  /** A command that is sent again is answered as it was. */
  async #repeats(done: readonly Answered[]): Promise<string[]> {
    const found: string[] = [];
    const server = this.#site.lines.length - 1;
    for (let n = 0; n < Math.min(REPEATED, done.length); n++) {
      const { id, what, body, reply } = this.#chance.pick(done);
      const seat = await this.#ownerOf(id, what);
      const [, path = ""] = KEYS[what][0].split(" ");
      const { value } = await post(this.#site, seat, path, { body, server });
      this.counts.repeats += 1;
      const [first, again] = [settledOf(what, reply), settledOf(what, value)];
      if (!isDeepStrictEqual(first, again)) {
        found.push(
          `${what} ${id} was ${JSON.stringify(first)}, a repeat is ${JSON.stringify(again)}`,
        );
      }
    }
    return found;
  }

  async #ownerOf(id: string, what: Family) {
    const account = what === "round" ? "round_id" : "id";
    const table = /FROM (\w+)/.exec(TABLES[what])?.[1] ?? "";
    const sql = `SELECT account_id FROM ${table} WHERE ${account} = '${id}'`;
    const { rows } = await this.#site.database.ask(sql);
    const seat = this.#site.seats.find(({ memberId }) => rows[0]?.account_id.includes(memberId));
    if (seat === undefined) throw new Error(`${what} ${id} is nobody's`);
    return seat;
  }

  async #vendorRounds(pool: pg.Pool, fresh: readonly Entry[]): Promise<string[]> {
    for (const entry of fresh) {
      if (entry.type === "round") this.#rounds.set(entry.round.roundId, entry.round);
    }
    const ended = fresh.flatMap((entry) => (entry.type === "ended" ? [entry] : []));
    const ids = ended.map(({ roundId }) => roundId);
    const { rows } = await pool.query<{ round_id: string; stands: string }>(
      `SELECT round_id, state || ' ' || payout_minor AS stands FROM vendor_rounds
       WHERE round_id = ANY($1)`,
      [ids],
    );
    const stands = new Map(rows.map((row) => [row.round_id, row.stands]));
    this.counts.rounds += ended.length;
    return ended.flatMap(({ roundId, end }) => {
      const round = this.#rounds.get(roundId);
      if (round === undefined) throw new Error(`nobody began ${roundId}`);
      this.#rounds.delete(roundId);
      // A stake that was given back before it was taken leaves no round.
      const none = end === "rolled back" && round.plan === "rollback-first" ? "none" : null;
      const wanted = none ?? VENDOR_ENDS[end](round);
      const found = stands.get(roundId) ?? "none";
      return found === wanted ? [] : [`round ${roundId} ${end}: ${wanted}, stands ${found}`];
    });
  }

  async #books(pool: pg.Pool): Promise<string[]> {
    const { url: databaseUrl } = this.#site.database;
    const options = { databaseUrl, pool, books: BOOKS, writers: 0, onTrouble: () => undefined };
    const discrepancies = await new Ledger(options).verify();
    return discrepancies.map(({ check, subject, found }) => `${check}: ${subject} (${found})`);
  }

  async #waiting(pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<{ what: string }>(WAITING);
    const now = performance.now();
    const waits = new Set(rows.map(({ what }) => what));
    for (const what of this.#waitsSince.keys()) if (!waits.has(what)) this.#waitsSince.delete(what);
    const late: string[] = [];
    for (const what of waits) {
      const since = this.#waitsSince.get(what) ?? now;
      this.#waitsSince.set(what, since);
      if (now - since > PATIENCE_MS) late.push(`${what} waits`);
    }
    return late;
  }

  /** The provider's books and ours agree. */
  async #payments(pool: pg.Pool): Promise<string[]> {
    const books = await this.#site.clerk.books();
    const { rows } = await pool.query<{ id: string; state: string }>(
      `SELECT id, state FROM deposits WHERE method = $1
       UNION ALL SELECT id, state FROM withdrawals WHERE method = $1`,
      [OUTSIDE_METHOD],
    );
    const ours = new Map(rows.map(({ id, state }) => [id, state]));
    return books.flatMap(({ id, status }) => {
      const stands = ours.get(id) ?? "unknown";
      return status === "pending" || stands === status
        ? []
        : [`payment ${id} is ${status} at the provider, ${stands} here`];
    });
  }
}

/** What of a reply cannot change any more. */
function settledOf(what: Family, reply: unknown): unknown {
  if (typeof reply !== "object" || reply === null) return null;
  // Replies are objects of the contract's; only known names are read.
  const fields = reply as Readonly<Record<string, unknown>>;
  if (what === "round") return fields.round;
  const { id, amount, stake, lines, lineStake, destination, roundId } = fields;
  return { id, amount, stake, lines, lineStake, destination, roundId };
}
