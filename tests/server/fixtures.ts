import { createHash, randomInt } from "node:crypto";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import type { Clock, Entropy, Instant } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";
import type pg from "pg";
import { afterAll } from "vitest";
import { BOOKS } from "../../apps/server/src/books.ts";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import {
  type BrandSettingsJson,
  createBrands,
  type Merchant,
} from "../../apps/server/src/modules/brand/brand.ts";
import {
  callerOfType,
  insertMember,
  type Session,
  TRIAL_TYPE,
} from "../../apps/server/src/modules/identity/identity.ts";
import {
  type Account,
  accountOf,
  type BookCheck,
  Ledger,
} from "../../apps/server/src/modules/ledger/ledger.ts";
import { isOnCluster } from "../setup/test-database.ts";

/** Real rows for server tests, made by the same functions as in the product. */

/** Friday, 6 March 2026, 20:00 in Manila. */
export const EVENING: Instant = Date.UTC(2026, 2, 6, 12);

export interface ManualClock extends Clock {
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the clock; no time passes. */
  set(at: Instant): void;
  /** Milliseconds that have passed. */
  readonly elapsed: () => number;
}

export function manualClock(start: Instant = EVENING): ManualClock {
  let at = start;
  let passed = 0;
  return {
    now: () => at,
    elapsed: () => passed,
    advance: (ms) => {
      at += ms;
      passed += ms;
    },
    set: (instant) => {
      at = instant;
    },
  };
}

/**
 * Whether no query is under way. Manual time that goes on during a query turns the moment that its
 * answer takes into seconds.
 */
export function isQuiet(pool: pg.Pool): boolean {
  return pool.idleCount === pool.totalCount && pool.waitingCount === 0;
}

/** The same seed gives the same bytes; for tests that must be repeatable. */
export function seededEntropy(seed: string | number): Entropy {
  let block = 0;
  return {
    bytes(length) {
      const out = new Uint8Array(length);
      for (let at = 0; at < length; at += 32) {
        const digest = createHash("sha256").update(`${seed}\n${block++}`).digest();
        out.set(digest.subarray(0, Math.min(32, length - at)), at);
      }
      return out;
    },
  };
}

/** A fresh seed, printed so that a failed run can be repeated with `TEST_SEED=…`. */
export function freshSeed(name: string): number {
  const given = process.env.TEST_SEED;
  const seed = given === undefined ? randomInt(2 ** 31) : Number(given);
  process.stdout.write(`${name}: TEST_SEED=${seed}\n`);
  return seed;
}

/**
 * Close it before the database is dropped. Its `verify` compares all books with the entries; tests
 * whose entries belong to no module pass no books.
 */
export function makeLedger(
  db: { readonly url: string; readonly pool: pg.Pool },
  books: readonly BookCheck[] = BOOKS,
): Ledger {
  const { url: databaseUrl, pool } = db;
  return new Ledger({
    ...{ databaseUrl, pool, books, isCluster: isOnCluster() },
    onTrouble: () => undefined,
  });
}

/** A ledger that is closed after the tests of the file that asks for it. */
export function ledgerOfFile(...given: Parameters<typeof makeLedger>): Ledger {
  const ledger = makeLedger(...given);
  afterAll(() => ledger.close());
  return ledger;
}

let brands = 0;

/** A brand like the demo's under its own code and host. */
export async function makeBrand(
  pool: pg.Pool,
  clock: Clock,
  change: {
    readonly hosts?: readonly string[];
    readonly settings?: Partial<BrandSettingsJson>;
  } = {},
): Promise<Merchant> {
  brands += 1;
  const code = `brand${brands}`;
  return createBrands(pool, clock).add(pool, {
    ...demoBrand,
    id: `mer_test${brands}`,
    code,
    hosts: change.hosts ?? [`${code}.test`],
    settings: { ...demoBrand.settings, ...change.settings },
  });
}

let members = 0;

/** A member with an open wallet and a session as after a log-in. */
export async function makeMember(
  deps: { readonly pool: pg.Pool; readonly ledger: Ledger; readonly clock: Clock },
  merchant: Merchant,
  given: {
    readonly username?: string;
    readonly type?: number;
    /** Minor units that the wallet starts with. */
    readonly balance?: bigint;
    readonly blocked?: boolean;
    /** The direct upline. */
    readonly invitedBy?: Session;
  } = {},
): Promise<Session> {
  const { pool, ledger, clock } = deps;
  members += 1;
  // Copied now, since members created at the same time need different numbers.
  const number = members;
  const now = clock.now();
  const id = mintId("member", now, seededEntropy(`member ${number}`).bytes(16));
  const username = given.username ?? `player_${number}`;
  const type = given.type ?? 0;
  const currency: Currency = type === TRIAL_TYPE ? "FUN" : merchant.currency;
  const added = await insertMember(
    pool,
    {
      id,
      merchantId: merchant.id,
      username,
      nickname: null,
      email: null,
      birthday: null,
      affiliateCode: null,
      type,
      passwordHash: null,
      recommenderId: given.invitedBy?.memberId ?? null,
    },
    now,
  );
  if (!added) throw new Error(`the username ${username} is taken`);
  await makeWallet({ pool, ledger, clock }, id, given.balance ?? 0n, {
    currency,
    merchantId: merchant.id,
  });
  const sessionId = mintId("session", now, seededEntropy(`session ${number}`).bytes(16));
  await pool.query(
    `INSERT INTO sessions (id, merchant_id, member_id, storage_half_hash, cookie_half_hash,
       user_agent, address, method, created_at, seen_at, expires_at)
     SELECT $1, $2, $3, sha256($1::text::bytea), sha256($3::text::bytea), 'test', '127.0.0.1', 'password',
       t.now, t.now, t.now + interval '30 days' FROM (SELECT to_timestamp($4 / 1000.0) AS now) t`,
    [sessionId, merchant.id, id, now],
  );
  return {
    id: sessionId,
    merchantId: merchant.id,
    memberId: id,
    username,
    nickname: null,
    type,
    caller: callerOfType(type),
    currency,
    blocked: given.blocked ?? false,
    createdAt: now,
  };
}

/** An open wallet; its balance enters as a bonus, which only the ledger records. */
export async function makeWallet(
  deps: { readonly pool: pg.Pool; readonly ledger: Ledger; readonly clock: Clock },
  ownerId: string,
  balance: bigint,
  given: { readonly currency?: Currency; readonly merchantId?: string } = {},
): Promise<Account> {
  const { pool, ledger, clock } = deps;
  const account = accountOf(ownerId, given.currency ?? "PHP");
  const merchantId = given.merchantId ?? "mer_test";
  await ledger.open(pool, account, { merchantId, ownerId, kind: "cash" }, clock.now());
  if (balance > 0n) {
    const opened = await ledger.credit({
      account,
      key: "opening",
      amount: balance,
      counterAccount: "bonus:test",
      kind: "bonus",
      ref: null,
      at: clock.now(),
    });
    if (!opened.ok) throw new Error(`the opening balance: ${opened.error.code}`);
  }
  return account;
}

/** For a kite whose keeper no other process has replaced. */
export const stillKept = async () => true;

export async function availableOf(ledger: Ledger, account: Account): Promise<bigint> {
  const { balance, held } = present(await ledger.balance(account), "the wallet");
  return balance - held;
}
