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

/** The row of a command of each family, by the id that the player's browser made. */
const TABLES: Readonly<Record<Family, string>> = {
  round: "SELECT round_id AS id FROM house_rounds WHERE round_id = ANY($1)",
  ticket: "SELECT id FROM lottery_tickets WHERE id = ANY($1)",
  slip: "SELECT id FROM sports_bets WHERE id = ANY($1)",
  kite: "SELECT id FROM saranggola_bets WHERE id = ANY($1)",
  ring: "SELECT id FROM cockfight_bets WHERE id = ANY($1)",
  deposit: "SELECT id FROM deposits WHERE id = ANY($1)",
  withdrawal: "SELECT id FROM withdrawals WHERE id = ANY($1)",
};
const FAMILIES = Object.keys(TABLES) as Family[]; // the keys of this table

/** Rows that should progress by themselves, and do not. Time stamps prove nothing: clocks shift. */
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
  UNION ALL SELECT 'match ' || id || ' ' || phase FROM cockfight_matches WHERE settled_at IS NULL
  UNION ALL SELECT 'ring bet ' || b.id FROM cockfight_bets b
    JOIN cockfight_matches m ON m.id = b.match_id
    WHERE b.state = 'placed' AND m.phase IN ('settled', 'cancelled')
  UNION ALL SELECT 'ticket ' || t.id FROM lottery_tickets t JOIN lottery_draws d ON d.id = t.draw_id
    WHERE t.state = 'placed' AND d.settled_at IS NOT NULL
  UNION ALL SELECT 'slip ' || b.id FROM sports_bets b WHERE b.state = 'placed' AND NOT EXISTS (
    SELECT FROM sports_fixtures f WHERE f.id = ANY(b.fixture_ids) AND f.settled_at IS NULL)
  UNION ALL SELECT 'the next kite' WHERE NOT EXISTS (
    SELECT FROM saranggola_rounds WHERE phase IN ('waiting', 'flying'))
  UNION ALL SELECT 'the next match' WHERE NOT EXISTS (
    SELECT FROM cockfight_matches WHERE settled_at IS NULL)
  UNION ALL SELECT 'the next draw' WHERE NOT EXISTS (
    SELECT FROM lottery_draws WHERE draws_at > now())
  UNION ALL SELECT 'the next fixture' WHERE NOT EXISTS (
    SELECT FROM sports_fixtures WHERE starts_at > now())
  UNION ALL SELECT 'job ' || task_identifier || ' ' || id
    FROM graphile_worker.jobs WHERE run_at < now()`;
/** A job that failed so often has been tried for more than half an hour and will fail again. */
const FAILED_FOR_GOOD = `SELECT 'job ' || task_identifier || ' fails: ' || last_error AS what
  FROM graphile_worker.jobs WHERE attempts >= 8 AND last_error IS NOT NULL`;
/** The number of ids per statement. */
const ASKED = 10_000;
/** How long a page may differ from the books' balance when nothing moves any more. */
const SHOWN_MS = 30_000;
/** A dead worker's job runs again (orphans.ts), and the sweep runs, within a minute each. */
const PATIENCE_MS = 150_000;
/** How many of the recently answered commands are sent again. */
const REPEATED = 6;
/** Commands that are possible at any time; the others depend on open flights and matches. */
const ALWAYS: readonly Family[] = ["round", "ticket", "slip"];
/**
 * The states in which a vendor's round may end. A rollback before its bet leaves no round.
 */
const VENDOR_ENDS: Readonly<Record<RoundEnd, (round: VendorRound) => readonly string[]>> = {
  lost: () => ["settled 0"],
  won: ({ winMinor }) => [`settled ${winMinor}`],
  "rolled back": ({ plan }) => [plan === "rollback-first" ? "none" : "voided 0"],
  "called off": () => ["none", "voided 0"],
  refused: () => ["none"],
};

interface Answered {
  readonly id: string;
  readonly what: Family;
  readonly body: object;
  readonly reply: object;
}

interface Told {
  readonly what: Family;
  readonly times: number;
  readonly told: string;
}

export interface Counts {
  /** Intentions that were granted. */
  done: number;
  refused: number;
  /** Rounds of vendors that ended. */
  rounds: number;
  repeats: number;
}

/** Compares the answers that players and vendors got with the product's books. */
export class Auditor {
  readonly counts: Counts = { done: 0, refused: 0, rounds: 0, repeats: 0 };
  readonly #site: Site;
  readonly #chance: Chance;
  readonly #read: number[] = [];
  readonly #meant = new Map<string, { readonly what: Family; readonly body: object }>();
  readonly #rounds = new Map<string, VendorRound>();
  /** How often each id must exist, according to the answers about it. */
  readonly #told = new Map<string, Told>();
  readonly #shown = new Map<string, string>();
  readonly #waitsSince = new Map<string, number>();

  constructor(site: Site, chance: Chance) {
    this.#site = site;
    this.#chance = chance;
  }

  /** How many commands of each family were granted. */
  get told(): string {
    const yes = [...this.#told.values()].filter(({ times }) => times === 1);
    const counts = FAMILIES.map(
      (what) => `${yes.filter((one) => one.what === what).length} ${what}`,
    );
    return `answered by yes: ${counts.join(", ")}`;
  }

  /** Whether players' commands that are always possible, and vendors' calls, are granted again. */
  async hearYes(withinMs: number): Promise<string[]> {
    const from = this.#site.journals.map((path, n) => readJournal(path, this.#read[n]).next);
    const by = performance.now() + withinMs;
    for (;;) {
      const fresh = this.#site.journals.flatMap((path, n) => readJournal(path, from[n]).entries);
      const served = this.#servedIn(fresh);
      const deaf = ALWAYS.filter((what) => !served.has(what)).map((what) => `no ${what}`);
      if (!fresh.some(({ type }) => type === "ended")) deaf.push("no vendor's round");
      if (deaf.length === 0) return [];
      if (performance.now() > by) return deaf.map((who) => `${who} is answered by yes`);
      await sleep(100);
    }
  }

  #servedIn(entries: readonly Entry[]): ReadonlySet<Family | undefined> {
    const fresh = this.#site.journals.flatMap(
      (path, n) => readJournal(path, this.#read[n]).entries,
    );
    const meant = new Map(
      fresh.flatMap((entry) => (entry.type === "meant" ? [[entry.id, entry.what] as const] : [])),
    );
    const done = entries.flatMap((entry) => (entry.type === "done" ? [entry.id] : []));
    return new Set(done.map((id) => meant.get(id) ?? this.#meant.get(id)?.what));
  }

  /**
   * The contradictions to the answers since the last look; none if the books agree.
   * @param orderly nothing was broken meanwhile, so no answer may have been cut off
   */
  async look(orderly = false): Promise<string[]> {
    const fresh = this.#site.journals.flatMap((path, index) => {
      const { entries, next } = readJournal(path, this.#read[index]);
      this.#read[index] = next;
      return entries;
    });
    for (const entry of fresh) {
      if (entry.type === "shown") this.#shown.set(entry.memberId, entry.availableMinor);
    }
    return this.#onPool(async (pool) => [
      ...fresh.flatMap((entry) => (entry.type === "odd" ? [entry.what] : [])),
      ...fresh.flatMap((entry) =>
        entry.type === "cut" && orderly ? [`${entry.what} broke off`] : [],
      ),
      ...this.#site.orphans.takeLate(),
      ...(await this.#answers(pool, fresh)),
      ...(await this.#cashedOut(pool, fresh)),
      ...(await this.#vendorRounds(pool, fresh)),
      ...(await this.#books(pool)),
      ...(await this.#waiting(pool)),
    ]);
  }

  /** Nothing new begins; all that was begun must end in time, and the provider's books agree. */
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
    const ended = await this.#onPool(async (pool) => [
      // Even hours later, refused commands have no row, and granted ones have all theirs.
      ...(await this.#standing(pool, this.#told)),
      ...(await this.#payments(pool)),
      ...(await this.#balances(pool)),
    ]);
    return [...found, ...late, ...ended];
  }

  /** Every open page shows the books' balance, now that nothing moves. */
  async #balances(pool: pg.Pool): Promise<string[]> {
    const by = performance.now() + SHOWN_MS;
    for (;;) {
      const found = await this.look();
      if (found.length > 0) return found;
      const { rows } = await pool.query<{ owner_id: string; available: string }>(
        `SELECT owner_id, (balance - held)::text AS available FROM ledger_accounts
         WHERE owner_id = ANY($1) AND currency = 'PHP'`,
        [[...this.#shown.keys()]],
      );
      const wrong = rows.filter((row) => this.#shown.get(row.owner_id) !== row.available);
      if (rows.length > 0 && wrong.length === 0) return [];
      if (performance.now() > by) {
        const told = wrong.map(({ owner_id, available }) => {
          return `${owner_id} is shown ${this.#shown.get(owner_id)} and has ${available}`;
        });
        return rows.length === 0 ? ["no balance was shown"] : told;
      }
      await sleep(1_000);
    }
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

  /** Each granted command exists once, a refused one never. */
  async #answers(pool: pg.Pool, fresh: readonly Entry[]): Promise<string[]> {
    for (const entry of fresh) {
      if (entry.type === "meant") this.#meant.set(entry.id, entry);
    }
    const done: Answered[] = [];
    const wanted = new Map<string, Told>();
    for (const entry of fresh) {
      if (entry.type !== "done" && entry.type !== "refused") continue;
      const meant = this.#meant.get(entry.id);
      if (meant === undefined) throw new Error(`nobody meant ${entry.id}`);
      const yes = entry.type === "done";
      const told = { what: meant.what, times: yes ? 1 : 0, told: yes ? "yes" : entry.code };
      wanted.set(entry.id, told);
      this.#told.set(entry.id, told);
      this.counts[entry.type] += 1;
      this.#meant.delete(entry.id);
      if (yes) done.push({ ...meant, id: entry.id, reply: entry.reply });
    }
    return [...(await this.#standing(pool, wanted)), ...(await this.#repeats(done))];
  }

  async #standing(pool: pg.Pool, wanted: ReadonlyMap<string, Told>): Promise<string[]> {
    const found: string[] = [];
    for (const family of FAMILIES) {
      const ids = [...wanted].flatMap(([id, { what }]) => (what === family ? [id] : []));
      for (let from = 0; from < ids.length; from += ASKED) {
        const asked = ids.slice(from, from + ASKED);
        const { rows } = await pool.query<{ id: string }>(TABLES[family], [asked]);
        const times = new Map<string, number>();
        for (const { id } of rows) times.set(id, (times.get(id) ?? 0) + 1);
        for (const id of asked) {
          const one = wanted.get(id);
          const stands = times.get(id) ?? 0;
          if (stands === one?.times) continue;
          found.push(`${family} ${id} was told ${one?.told}, stands ${stands} times`);
        }
      }
    }
    return found;
  }

  /** A manual cash-out is stored with the multiplier of its answer. */
  async #cashedOut(pool: pg.Pool, fresh: readonly Entry[]): Promise<string[]> {
    const told = fresh.flatMap((entry) => (entry.type === "cashed" ? [entry] : []));
    const { rows } = await pool.query<{ id: string; stands: number | null }>(
      "SELECT id, cashed_out_at AS stands FROM saranggola_bets WHERE id = ANY($1)",
      [told.map(({ id }) => id)],
    );
    const stands = new Map(rows.map((row) => [row.id, row.stands]));
    return told.flatMap(({ id, hundredths }) =>
      stands.get(id) === hundredths
        ? []
        : [`kite ${id} was cashed out at ${hundredths}, stands at ${stands.get(id)}`],
    );
  }

  /** A command that is sent again gets the same answer. */
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
      const wanted = VENDOR_ENDS[end](round);
      const found = stands.get(roundId) ?? "none";
      const told = `round ${roundId} ${end}: ${wanted.join(" or ")}, stands ${found}`;
      return wanted.includes(found) ? [] : [told];
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
    const failing = await pool.query<{ what: string }>(FAILED_FOR_GOOD);
    const late = failing.rows.map(({ what }) => what);
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
    const { rows } = await pool.query<Payment>(
      `SELECT id, state, amount_minor::text AS minor, NULL AS destination
         FROM deposits WHERE method = $1
       UNION ALL SELECT id, state, amount_minor::text, destination
         FROM withdrawals WHERE method = $1`,
      [OUTSIDE_METHOD],
    );
    const ours = new Map(rows.map((row) => [row.id, row]));
    return books.flatMap(({ id, status, asked, destination }) => {
      const here = ours.get(id);
      if (here === undefined) return [`payment ${id} is the provider's alone`];
      const found: string[] = [];
      if (asked.minor !== here.minor || (destination ?? null) !== here.destination) {
        found.push(`payment ${id} was asked as ${asked.minor} to ${destination}`);
      }
      if (status !== "pending" && here.state !== status) {
        found.push(`payment ${id} is ${status} at the provider, ${here.state} here`);
      }
      return found;
    });
  }
}

interface Payment {
  readonly id: string;
  readonly state: string;
  readonly minor: string;
  readonly destination: string | null;
}

/** The part of a reply that cannot change any more. */
export function settledOf(what: Family, reply: unknown): unknown {
  if (typeof reply !== "object" || reply === null) return null;
  // Replies are objects of the contract; only known names are read.
  const fields = reply as Readonly<Record<string, unknown>>;
  // The server seed of a retired pair is revealed later, so it is left out.
  if (what === "round") {
    const { fairness, ...round } = Object(fields.round);
    return { ...round, fairness: { ...fairness, serverSeed: null } };
  }
  const { id, amount, stake, lines, lineStake, destination, roundId, matchId, side } = fields;
  return { id, amount, stake, lines, lineStake, destination, roundId, matchId, side };
}
