import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import { type Clock, DAY_MS, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { sweep } from "./postgres/sweep.ts";

/** How long a picture behind a decision is stored: as long as the decision may be disputed. */
const DISPUTED_MS = 180 * DAY_MS;
/** Pictures checked in one step of a sweep: each may be of 4 MB. */
const LOOKED_AT_ONCE = 200;
/** Steps per run at most; the next run goes on. */
const STEPS_MAX = 100;

/** A hundred photographs of receipts, and ten of the largest pictures that are stored. */
export const DAY_MAX_BYTES = 40 * 1024 * 1024;

/**
 * Counts a picture's bytes for its session and its address: null, or the refusal if it exceeds what
 * a session, or those at the address who never paid in, may send per day. Called before the
 * transaction that stores it, which then waits for nobody else.
 */
export type RoomForPicture = (bytes: number) => Promise<Refusal | null>;

/** Of a call that brings a picture. */
export interface PictureCall {
  /** Aborted when nobody waits for the result any more. */
  readonly hangUp?: AbortSignal | undefined;
  readonly roomForPicture: RoomForPicture;
}

/** For a picture that comes by no call: it is always waited for, and counted at no address. */
export const NO_CALL: PictureCall = { roomForPicture: async () => null };

/**
 * Counts a stored picture against its member's day (UTC), in the transaction that stores it: null,
 * or the refusal if it would exceed the day, even if many are sent at once.
 * @param bytes of the picture as it is stored
 */
export async function countPicture(
  client: pg.ClientBase,
  memberId: string,
  bytes: number,
  at: Instant,
): Promise<Refusal | null> {
  const { rowCount } = await client.query(
    `INSERT INTO picture_days AS p (day, member_id, bytes)
     VALUES ((to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::date, $2, $3)
     ON CONFLICT (day, member_id) DO UPDATE SET bytes = p.bytes + excluded.bytes
       WHERE p.bytes + excluded.bytes <= $4`,
    [at, memberId, bytes, DAY_MAX_BYTES],
  );
  return rowCount === 1 ? null : fieldRefusal("image", "day_spent");
}

export async function sweepPictureDays(pool: pg.Pool, now: Instant): Promise<void> {
  await sweep(pool, { table: "picture_days", by: "day" }, now - 2 * DAY_MS);
}

/** How long pictures are kept, and how many one step checks. */
export interface PicturesKept {
  readonly limit: number;
  /** One that nobody took. */
  readonly unclaimedMs: number;
  /** One by which an operator decided. */
  readonly decidedMs: number;
}

/**
 * Checks the pictures of one table that are due. It goes on until a step finds fewer than it may take;
 * each is a transaction of its own.
 */
export async function sweepPictures(
  { pool, clock, unclaimedMs }: { pool: pg.Pool; clock: Clock; unclaimedMs: number },
  look: (pool: pg.Pool, now: Instant, kept: PicturesKept) => Promise<number>,
): Promise<void> {
  const kept = { limit: LOOKED_AT_ONCE, unclaimedMs, decidedMs: DISPUTED_MS };
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    if ((await look(pool, clock.now(), kept)) < kept.limit) return;
  }
}
