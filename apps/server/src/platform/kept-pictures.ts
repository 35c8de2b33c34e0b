import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { sweep } from "./postgres/sweep.ts";

/** How long a picture is kept by which something was decided: as long as it may be disputed. */
export const DISPUTED_MS = 180 * DAY_MS;
/** Pictures looked at in one step of a sweep: each may be of 4 MB. */
const LOOKED_AT_ONCE = 200;
/** A run looks at so many steps at most; the next one goes on. */
const STEPS_MAX = 100;

/** A hundred photographs of receipts, and ten of the largest pictures that are kept. */
export const DAY_MAX_BYTES = 40 * 1024 * 1024;

/**
 * Counts a picture's bytes for the session that sends it and for where that is: null, or the refusal
 * for one that is too much of what a session, or those there who never paid in, may send in a day.
 * Asked before the transaction that keeps it, which then waits for nobody else.
 */
export type RoomForPicture = (bytes: number) => Promise<Refusal | null>;

/** Of a call that brings a picture. */
export interface PictureCall {
  /** Nobody waits any more for what is worked out. */
  readonly hangUp?: AbortSignal | undefined;
  readonly roomForPicture: RoomForPicture;
}

/** Of a picture that comes by no call: it is always waited for, and counted at no address. */
export const NO_CALL: PictureCall = { roomForPicture: async () => null };

/**
 * Counts a picture that is kept against its member's day (UTC), in the transaction that keeps it:
 * null, or the refusal for one that would be too much. However many are sent at once, no day is.
 * @param bytes of the picture as it is kept
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

/** Run by a job: no day counts once it is over. */
export async function sweepPictureDays(pool: pg.Pool, now: Instant): Promise<void> {
  await sweep(pool, { table: "picture_days", by: "day" }, now - 2 * DAY_MS);
}

/** Looks on until a step finds fewer than it may take; each is a transaction of its own. */
export async function inSteps(look: (limit: number) => Promise<number>): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    if ((await look(LOOKED_AT_ONCE)) < LOOKED_AT_ONCE) return;
  }
}
