import { type Clock, DAY_MS, type Entropy, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { blocksOf } from "../../../platform/address-block.ts";
import { hashOfToken, mintToken, TOKEN } from "../../../platform/bearer-token.ts";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";

/** Names a browser for as long as browsers keep a cookie; it opens nothing. */
export const DEVICE_COOKIE = "perya_device";
export const DEVICE_COOKIE_MS = 400 * DAY_MS;
/** A phone tells its member from others only after this time, since cookies cost nothing. */
const OWN_AFTER_MS = DAY_MS;
/**
 * Per member: so many devices that were used last are remembered, and as many that are known
 * longest. A log-in without a cookie adds a device, and never removes those known longest.
 */
const DEVICES_MAX = 20;
/** So many of a member's phones, those known longest, share no count with any other. */
const LONGEST = 3;

/** SHA-256 of a device's cookie; null for a missing cookie or one that is not ours. */
export function deviceHashOf(token: string | undefined): Buffer | null {
  return token !== undefined && TOKEN.test(token) ? hashOfToken(token) : null;
}

/** Whether a phone that was first seen at that time, or never, tells its member from others. */
export function isOwnPhone(since: Instant | null, now: Instant): boolean {
  return since !== null && since <= now - OWN_AFTER_MS;
}

export interface DeviceName {
  readonly device: string;
  /** The wide block of the address that names it; IPv6 only. */
  readonly network: string | null;
}

/**
 * The group of a member's phones it is in: `longest` for the three known longest, `new` for a day,
 * `former` if they have not logged in from it since the password was last set.
 */
export const TRUST_LEVELS = ["longest", "own", "new", "former own", "former new"] as const;
type TrustLevel = (typeof TRUST_LEVELS)[number];

/** How a member is known who asks for something that is counted. */
export interface KnownBy {
  /** Names the phone, or the session's member. */
  readonly by: string;
  readonly standing: TrustLevel;
}

/** Devices from which members logged in: tries of others on a name do not delay these. */
export class KnownDevices {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;

  constructor(pool: pg.Pool, clock: Clock, entropy: Entropy) {
    this.#pool = pool;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /** Whether the member has logged in from the device; takes the same time for no member. */
  async knows(memberId: string | null, deviceHash: Buffer | null): Promise<boolean> {
    return deviceHash !== null && (await this.knownSince(memberId, deviceHash)) !== null;
  }

  /**
   * The device among the member's phones; null if they have not logged in from it. Sums over phones
   * count these groups separately: anyone with the password can add phones, and their tries must not
   * count against the owner's phones, before or after a change of the password. However long they
   * wait, their phones never join the earlier ones.
   */
  async phoneOf(memberId: string | null, deviceHash: Buffer | null): Promise<KnownBy | null> {
    if (deviceHash === null) return null;
    const { rows } = await this.#pool.query<{
      is_current: boolean;
      is_longest: boolean;
      first_at: Date;
    }>(
      `SELECT d.first_at, d.last_at >= coalesce(m.password_changed_at, '-infinity') AS is_current,
              (SELECT count(*) FROM known_devices o
               WHERE o.member_id = d.member_id AND o.last_at > to_timestamp($3 / 1000.0)
                 AND (o.first_at, o.device_hash) < (d.first_at, d.device_hash)) < $4 AS is_longest
       FROM known_devices d JOIN members m ON m.id = d.member_id
       WHERE d.member_id = $1 AND d.device_hash = $2 AND d.last_at > to_timestamp($3 / 1000.0)`,
      [memberId, deviceHash, this.#clock.now() - DEVICE_COOKIE_MS, LONGEST],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const by = deviceHash.toString("base64url");
    const age = isOwnPhone(row.first_at.getTime(), this.#clock.now()) ? "own" : "new";
    if (age === "own" && row.is_longest) return { by, standing: "longest" };
    return { by, standing: row.is_current ? age : `former ${age}` };
  }

  /** When the member first logged in from the device; null if they have not, or long ago. */
  async knownSince(memberId: string | null, deviceHash: Buffer): Promise<Instant | null> {
    const { rows } = await this.#pool.query<{ first_at: Date }>(
      `SELECT first_at FROM known_devices
       WHERE member_id = $1 AND device_hash = $2 AND last_at > to_timestamp($3 / 1000.0)`,
      [memberId, deviceHash, this.#clock.now() - DEVICE_COOKIE_MS],
    );
    return rows[0]?.first_at.getTime() ?? null;
  }

  /**
   * The cookie that names a browser from now on. A cookie that names no known device is replaced,
   * so that nobody chooses its value.
   */
  async tokenOf(presented: string | undefined): Promise<string> {
    const ours = presented !== undefined && (await this.#isOurs(presented));
    return ours ? presented : mintToken(this.#entropy).token;
  }

  /** Remembers a device from which its member logs in, by the token of `tokenOf`. */
  async note(memberId: string, token: string, db: Db = this.#pool): Promise<void> {
    const now = this.#clock.now();
    await db.query(
      `INSERT INTO known_devices (member_id, device_hash, first_at, last_at)
       SELECT $1, $2, t.now, t.now FROM (SELECT to_timestamp($3 / 1000.0) AS now) AS t
       ON CONFLICT (member_id, device_hash) DO UPDATE SET last_at = excluded.last_at`,
      [memberId, deviceHashOf(token), now],
    );
    await db.query(
      `DELETE FROM known_devices WHERE member_id = $1 AND device_hash IN (
         SELECT device_hash FROM (
           SELECT device_hash,
                  row_number() OVER (ORDER BY last_at DESC, device_hash) AS by_use,
                  row_number() OVER (ORDER BY first_at, device_hash) AS by_age
           FROM known_devices WHERE member_id = $1) AS ranked
         WHERE by_use > $2 AND by_age > $2)`,
      [memberId, DEVICES_MAX],
    );
  }

  /**
   * Names a member's browser in sums per device: the phone, if they have used it for a day and paid
   * money in, else the address from which they call. A browser can leave its cookie out, every
   * private window has a new one, and a script that waits for a day has as many as it likes.
   */
  async nameOf(
    { memberId, hasPaidIn }: { readonly memberId: string; hasPaidIn(): Promise<boolean> },
    token: string | undefined,
    address: string,
  ): Promise<DeviceName> {
    const hash = deviceHashOf(token);
    const since = hash === null ? null : await this.knownSince(memberId, hash);
    if (hash !== null && isOwnPhone(since, this.#clock.now()) && (await hasPaidIn())) {
      return { device: hash.toString("base64url"), network: null };
    }
    const [own, wider] = blocksOf(address);
    return { device: own.block, network: wider?.block ?? null };
  }

  async sweep(): Promise<void> {
    const upTo = this.#clock.now() - DEVICE_COOKIE_MS;
    await sweep(this.#pool, { table: "known_devices", by: "last_at" }, upTo);
  }

  async #isOurs(token: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      "SELECT 1 FROM known_devices WHERE device_hash = $1 LIMIT 1",
      [deviceHashOf(token)],
    );
    return rowCount === 1;
  }
}
