import { createHash } from "node:crypto";
import { CLOCKS_APART_MS, type Clock, DAY_MS, HOUR_MS, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { blocksOf } from "../../../platform/address-block.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import type { KnownBy } from "./known-devices.ts";

/** At most `max` of a thing within `windowMs` of the first of them. */
export interface AbuseLimit {
  /** Names the thing counted, such as `sms:number:+639171234567`. */
  readonly subject: string;
  readonly max: number;
  readonly windowMs: number;
  /** Windows follow each other by the clock, UTC, so that a share and its whole have the same. */
  readonly isByCalendar?: boolean;
}

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
 * Limits on what costs money or helps an attacker. They are counted in the database, so they hold
 * over all processes and survive a restart; the rates of single calls need neither.
 */
export class AbuseCounts {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Counts one of each limit, or none at all. Answers what it counted if every limit had room, else
   * the instant from which all have room. No number of tries at once gets past a limit.
   * @param also work done in the same transaction if there was room
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
   * Takes back what was counted for something that did not happen, from the window in which it was
   * counted. If that window is over, the window after it keeps its whole count.
   */
  async giveBack(merchantId: string, counted: readonly Counted[]): Promise<void> {
    // In the order in which `spend` locks them; otherwise the two could deadlock.
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

  async sweep(): Promise<void> {
    await sweep(this.#pool, { table: "abuse_counts", by: "window_end" }, this.#clock.now());
  }
}

/** As `AbuseCounts.spend`, but in the caller's transaction, so that both commit together. */
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

function endOfWindow({ windowMs, isByCalendar }: AbuseLimit, now: Instant): Instant {
  return isByCalendar === true ? (Math.floor(now / windowMs) + 1) * windowMs : now + windowMs;
}

function countedIn({ subject, window_end }: Count): Counted {
  return { subject, windowEnd: window_end.getTime() };
}

/**
 * Locks the counts in one order. A window that is over or missing begins now at zero. A window that
 * ends later than one from now would was begun by a clock that ran ahead; it is cut to that end.
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
 * Limits of one address, in every block that counts it: a wider block has room for more.
 * @param timesMax share of the limit of all that one customer of a provider may not exceed
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

/** Mails per hour that one asker may request to an inbox, and that all askers may. */
export const MAILS_PER_HOUR = 3;
const MAILS_ALL_PER_HOUR = 12;
/** Mails a day that the phones of accounts may request to an inbox that nobody has verified. */
const CLAIM_PER_DAY = 6;
/** One customer's wide block gets at most half of what all together have. */
const CUSTOMERS_TIMES = 2;

/**
 * Limits of mails that somebody requests who is not known by a phone. They count by asker;
 * otherwise one stranger could use up the mails that the inbox's owner may request.
 * @param to names the inbox that all of them ask for
 */
export function limitsOfMails(to: string, address: string): AbuseLimit[] {
  return [
    ...limitsOfAddress(to, address, MAILS_PER_HOUR, HOUR_MS, CUSTOMERS_TIMES),
    { subject: to, max: MAILS_ALL_PER_HOUR, windowMs: HOUR_MS },
  ];
}

/**
 * Limits of mails requested by a known person: by their phone or in their session. Newer phones,
 * and phones from before a new password, use up nothing of the others (`TrustLevel`).
 */
export function limitsOfKnown(to: string, { by, standing }: KnownBy): AbuseLimit[] {
  const own = { subject: `${to}:${by}`, max: MAILS_PER_HOUR, windowMs: HOUR_MS };
  if (standing === "longest") return [own];
  return [own, { subject: `${to}:${standing}`, max: MAILS_ALL_PER_HOUR, windowMs: HOUR_MS }];
}

/**
 * Limits of mails to an inbox that nobody has verified, requested by phones of accounts that name
 * it. The inbox may be a stranger's, and accounts and phones cost nothing. The account that named
 * it first shares no limit with the others.
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
 * Names an inbox. With most providers the text between a plus sign and the `@` is the owner's own
 * mark, and with the largest, dots mean nothing. Otherwise one inbox would count as many as a
 * script can spell.
 */
export function inboxOf(email: string): string {
  const plain = email.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, "$1@");
  const [, name] = /^([^@]+)@(?:gmail|googlemail)\.com$/.exec(plain) ?? [];
  return subjectOf(name === undefined ? plain : `${name.replaceAll(".", "")}@gmail.com`);
}

/** Names the thing counted, in any case of letters, without storing a name that may be nobody's. */
export function subjectOf(...words: readonly string[]): string {
  return createHash("sha256").update(words.join("\n").toLowerCase()).digest("base64url");
}
