import { createHash } from "node:crypto";
import { CLOCKS_APART_MS, type Clock, DAY_MS, HOUR_MS, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { blocksOf } from "../../platform/address-block.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { sweep } from "../../platform/postgres/sweep.ts";
import type { KnownBy } from "./known-devices.ts";

/** At most `max` of a thing within `windowMs` of the first of them. */
export interface AbuseLimit {
  /** Names what is counted, such as `sms:number:+639171234567`. */
  readonly subject: string;
  readonly max: number;
  readonly windowMs: number;
  /** Windows follow each other by the clock, UTC: a share and its whole then have the same ones. */
  readonly isByCalendar?: boolean;
}

/** One that was counted, in the window of its subject that ends then. */
export interface Counted {
  readonly subject: string;
  readonly windowEnd: Instant;
}

interface Count {
  readonly subject: string;
  readonly spent: number;
  readonly window_end: Date;
}

/**
 * Bounds of what costs money or helps an attacker, counted in the database: they hold over all
 * processes, and survive a restart, as the rates of single calls need not.
 */
export class AbuseCounts {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Counts one of each limit, or none at all: what was counted where every one had room, else the
   * instant from which they all have. However many ask at once, none gets past a limit.
   * @param also what is done where there was room, with the counting or neither
   */
  async spend(
    merchantId: string,
    limits: readonly AbuseLimit[],
    also: (client: pg.ClientBase) => Promise<void> = async () => undefined,
  ): Promise<Result<readonly Counted[], Instant>> {
    const now = this.#clock.now();
    return withTransaction(this.#pool, async (client) => {
      const counted = await spendIn(client, merchantId, limits, now);
      if (counted.ok) await also(client);
      return counted;
    });
  }

  /** How many of each were counted in windows that are not over. */
  async spentOf(
    merchantId: string,
    subjects: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<{ subject: string; spent: number }>(
      `SELECT subject, spent FROM abuse_counts WHERE merchant_id = $1 AND subject = ANY ($2)
         AND window_end > to_timestamp($3 / 1000.0)`,
      [merchantId, subjects, this.#clock.now()],
    );
    return new Map(rows.map(({ subject, spent }) => [subject, spent]));
  }

  /**
   * Takes back what was counted for something that did not happen. It is taken off the window that
   * it was counted in: where that is over, the one that followed it keeps all that is in it.
   */
  async giveBack(merchantId: string, counted: readonly Counted[]): Promise<void> {
    // In the order in which `spend` locks them, or the two would wait for each other.
    await this.#pool.query(
      `UPDATE abuse_counts c SET spent = greatest(c.spent - 1, 0)
       FROM (SELECT a.merchant_id, a.subject
             FROM unnest($2::text[], $3::bigint[]) AS counted (subject, window_end)
             JOIN abuse_counts a ON a.merchant_id = $1 AND a.subject = counted.subject
               AND a.window_end = to_timestamp(counted.window_end / 1000.0)
             ORDER BY a.subject FOR UPDATE OF a) locked
       WHERE c.merchant_id = locked.merchant_id AND c.subject = locked.subject`,
      [
        merchantId,
        counted.map(({ subject }) => subject),
        counted.map(({ windowEnd }) => windowEnd),
      ],
    );
  }

  /** Run by a job: windows that are over go. */
  async sweep(): Promise<void> {
    await sweep(this.#pool, { table: "abuse_counts", by: "window_end" }, this.#clock.now());
  }
}

/** As `AbuseCounts.spend`, in a transaction of the caller's: it counts with what is counted. */
export async function spendIn(
  client: pg.ClientBase,
  merchantId: string,
  limits: readonly AbuseLimit[],
  now: Instant,
): Promise<Result<readonly Counted[], Instant>> {
  const counts = await lockCounts(client, merchantId, limits, now);
  const full = limits.flatMap(({ subject, max }) => {
    const count = counts.get(subject);
    return count !== undefined && count.spent >= max ? [count.window_end.getTime()] : [];
  });
  if (full.length > 0) return refuse(Math.max(...full));
  await client.query(
    `UPDATE abuse_counts SET spent = spent + 1 WHERE merchant_id = $1 AND subject = ANY ($2)`,
    [merchantId, limits.map(({ subject }) => subject)],
  );
  return ok([...counts.values()].map(countedIn));
}

/** Of one that begins now. */
function endOfWindow({ windowMs, isByCalendar }: AbuseLimit, now: Instant): Instant {
  return isByCalendar === true ? (Math.floor(now / windowMs) + 1) * windowMs : now + windowMs;
}

function countedIn({ subject, window_end }: Count): Counted {
  return { subject, windowEnd: window_end.getTime() };
}

/**
 * Locks the counts in one order; a window that is over, or never was, begins now at zero. One that
 * would last longer than from now on was begun by a clock that was ahead, and ends as one from now.
 */
async function lockCounts(
  client: pg.ClientBase,
  merchantId: string,
  limits: readonly AbuseLimit[],
  now: Instant,
): Promise<ReadonlyMap<string, Count>> {
  const { rows } = await client.query<Count>(
    `INSERT INTO abuse_counts AS c (merchant_id, subject, spent, window_end)
     SELECT $1, subject, 0, to_timestamp(window_end / 1000.0)
     FROM unnest($2::text[], $3::bigint[]) AS fresh (subject, window_end) ORDER BY subject
     ON CONFLICT (merchant_id, subject) DO UPDATE SET
       spent = CASE WHEN c.window_end <= to_timestamp($4 / 1000.0) THEN 0 ELSE c.spent END,
       window_end = CASE WHEN c.window_end <= to_timestamp($4 / 1000.0)
                           OR c.window_end > excluded.window_end + $5 * interval '1 ms'
                         THEN excluded.window_end ELSE c.window_end END
     RETURNING subject, spent, window_end`,
    [
      merchantId,
      limits.map(({ subject }) => subject),
      limits.map((limit) => endOfWindow(limit, now)),
      now,
      CLOCKS_APART_MS,
    ],
  );
  return new Map(rows.map((row) => [row.subject, row]));
}

/**
 * Of one address, in every block that it is counted in: a wider one has as much room as is in it.
 * @param timesMax of what all share, one customer of a provider may not have so much
 */
export function limitsOfAddress(
  what: string,
  address: string,
  max: number,
  windowMs: number,
  timesMax = Number.POSITIVE_INFINITY,
): AbuseLimit[] {
  return blocksOf(address).map(({ block, times }) => ({
    subject: `${what}:${block}`,
    max: max * Math.min(times, timesMax),
    windowMs,
  }));
}

/** Mails that one asker may have sent to one place, and that it gets from all of them. */
export const MAILS_PER_HOUR = 3;
const MAILS_ALL_PER_HOUR = 12;
/** That the phones of accounts may have sent in a day to an inbox that nobody has proven. */
const CLAIM_PER_DAY = 6;
/** Together: half of what all have, and no more, for one customer's wide block. */
const CUSTOMERS_TIMES = 2;

/**
 * Of mails that somebody asks for whom we do not know by a phone. Counted by who asks: else one
 * stranger could use up what the owner of the inbox may ask for.
 * @param to names the place that all ask for
 */
export function limitsOfMails(to: string, address: string): AbuseLimit[] {
  return [
    ...limitsOfAddress(to, address, MAILS_PER_HOUR, HOUR_MS, CUSTOMERS_TIMES),
    { subject: to, max: MAILS_ALL_PER_HOUR, windowMs: HOUR_MS },
  ];
}

/**
 * Of mails that are asked for by somebody who is known: by a phone of theirs, or in their session.
 * Newer phones, and those of before a new password, use up nothing of the others (`Standing`).
 */
export function limitsOfKnown(to: string, { by, standing }: KnownBy): AbuseLimit[] {
  const own = { subject: `${to}:${by}`, max: MAILS_PER_HOUR, windowMs: HOUR_MS };
  if (standing === "longest") return [own];
  return [own, { subject: `${to}:${standing}`, max: MAILS_ALL_PER_HOUR, windowMs: HOUR_MS }];
}

/**
 * Of mails to an inbox that nobody has proven, by phones of accounts that name it: it may be a
 * stranger's, and accounts and phones cost nothing. Those of whoever named it first share nothing
 * with those of all others.
 */
export function limitsOfClaim(
  inbox: string,
  { by, standing }: KnownBy,
  isFirst: boolean,
): AbuseLimit[] {
  const to = isFirst ? `${inbox}:first` : inbox;
  const shared = standing === "longest" && !isFirst ? "own" : standing;
  const names = shared === "longest" ? [by] : [by, shared];
  return names.flatMap((name) => [
    { subject: `${to}:${name}`, max: MAILS_PER_HOUR, windowMs: HOUR_MS },
    { subject: `${to}:${name}:day`, max: CLAIM_PER_DAY, windowMs: DAY_MS },
  ]);
}

/**
 * Names an inbox: what stands behind a plus sign before the `@` is its owner's mark, with most
 * providers, and with the largest dots are nothing. One inbox would else be as many as a script can
 * spell.
 */
export function inboxOf(email: string): string {
  const plain = email.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, "$1@");
  const [, name] = /^([^@]+)@(?:gmail|googlemail)\.com$/.exec(plain) ?? [];
  return subjectOf(name === undefined ? plain : `${name.replaceAll(".", "")}@gmail.com`);
}

/** Names what is counted, in whatever case it comes, without keeping what may be nobody's of ours. */
export function subjectOf(...words: readonly string[]): string {
  return createHash("sha256").update(words.join("\n").toLowerCase()).digest("base64url");
}
