import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  availableOf,
  freshSeed,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { siblingClaim } from "../../../../../tests/server/sibling-claim.ts";
import { runDueJobs } from "../../../../../tests/setup/run-due-jobs.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../../platform/log.ts";
import type { BrandSettingsJson, Merchant } from "../brand/brand.ts";
import { CLAIMS_NOTHING, type Session } from "../identity/identity.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import { CLOSE_RAIN, RedRains } from "./red-rain.ts";

const RULE: NonNullable<BrandSettingsJson["redRain"]> = {
  schedule: { everyMinutes: 10 },
  seconds: 30,
  budgetMinor: "10000",
  smallestMinor: "100",
  largestMinor: "1000",
  catchMax: 2,
};
const clock = manualClock();
const entropy = seededEntropy(freshSeed("red rain"));
const log = createLogger({ level: "silent" });
let merchant: Merchant;
let here: RedRains;
/** The same rains in another process. */
let other: RedRains;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const otherLedger = ledgerOfFile(db);
const stranger = await makeBrand(db.pool, clock, { settings: { redRain: RULE } });

beforeEach(async () => {
  merchant = await makeBrand(db.pool, clock, { settings: { redRain: RULE } });
  here = process(ledger);
  other = process(otherLedger);
  await here.plan();
});

/** After every test no rain gave more than its budget, or anybody more than their share. */
afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT r.id FROM red_rains r JOIN red_packets p ON p.rain_id = r.id
     GROUP BY r.id HAVING sum(p.amount_minor) > r.budget_minor
     UNION ALL SELECT r.id FROM red_rains r JOIN red_packets p ON p.rain_id = r.id
     WHERE p.member_id IS NOT NULL GROUP BY r.id, p.member_id HAVING count(*) > r.catch_max
     UNION ALL SELECT p.rain_id FROM red_packets p LEFT JOIN ledger_entries e
       ON e.key = 'red-packet:' || p.rain_id || ':' || p.number AND e.amount = p.amount_minor
     WHERE (p.paid_at IS NULL) <> (e.key IS NULL)`,
  );
  expect(rows).toEqual([]);
});

describe("the rains of a brand", () => {
  it("[G2.1-24] are planned ahead once at the brand's times, however many processes plan, each dealt and with its job", async () => {
    await Promise.all([here.plan(), other.plan(), here.plan()]);
    const { rows } = await db.pool.query(
      `SELECT r.starts_at, (SELECT sum(amount_minor)::int FROM red_packets
         WHERE rain_id = r.id) AS dealt
       FROM red_rains r JOIN graphile_worker.jobs j
         ON j.key = $2 || ':' || r.id AND j.run_at = r.ends_at
       WHERE r.merchant_id = $1 ORDER BY 1`,
      [merchant.id, CLOSE_RAIN],
    );
    expect(rows.map((row) => (row.starts_at.getTime() - clock.now()) / MINUTE_MS)).toEqual([
      10, 20, 30, 40, 50, 60,
    ]);
    for (const { dealt } of rows) {
      expect(dealt).toBeLessThanOrEqual(10_000);
      expect(dealt).toBeGreaterThan(9_900);
    }
  });

  it("fall for no brand that sets none, and for none whose key is off", async () => {
    const flags = { ...merchant.settings.flags, REDRAIN: false };
    const off = await makeBrand(db.pool, clock, { settings: { redRain: RULE, flags } });
    const none = await makeBrand(db.pool, clock, { settings: { redRain: null } });
    const rains = process(ledger, [none]);
    await rains.plan();
    expect(await rains.board(none)).toEqual({ next: null, past: [] });
    const session = await player(none);
    expect(codeOf(await rains.catch(off, session, tap((await next()).id), CLAIMS_NOTHING))).toBe(
      "feature_off",
    );
  });
});

describe("a catch", () => {
  it("[G2.1-24] pays its packet once, into the wallet and the record, and gets the same answer again", async () => {
    const rain = await falling();
    const session = await player();
    const given = tap(rain.id);
    const { packet } = taken(await here.catch(merchant, session, given, CLAIMS_NOTHING));
    expect(packet.amount_minor).toBeGreaterThanOrEqual(100n);
    expect(packet.amount_minor).toBeLessThanOrEqual(1_000n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : other).catch(merchant, session, given, CLAIMS_NOTHING),
    );
    for (const again of await Promise.all(sent)) {
      expect(taken(again).packet).toMatchObject({
        number: packet.number,
        amount_minor: packet.amount_minor,
      });
    }
    expect(await available(session)).toBe(packet.amount_minor);
    const wallet = accountOf(session.memberId, session.currency);
    const { entries } = await ledger.history(wallet, { beforeSeq: null, limit: 9 }, ["red-packet"]);
    expect(entries.map(({ amount, ref }) => ({ amount, ref }))).toEqual([
      { amount: packet.amount_minor, ref: given.id },
    ]);
    // Long after the rain the answer still names what was caught.
    clock.set(rain.ends_at.getTime() + HOUR_MS);
    await here.close(rain.id);
    await here.plan();
    const late = taken(await here.catch(merchant, session, given, CLAIMS_NOTHING));
    expect(late.packet.amount_minor).toBe(packet.amount_minor);
    expect(
      codeOf(
        await here.catch(
          merchant,
          session,
          { ...given, rainId: (await next()).id },
          CLAIMS_NOTHING,
        ),
      ),
    ).toBe("id_reused");
  });

  it("sent many times at once to two processes catches one packet", async () => {
    const rain = await falling();
    const session = await player();
    const given = tap(rain.id);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : other).catch(merchant, session, given, CLAIMS_NOTHING),
    );
    const numbers = (await Promise.all(sent)).map((one) => taken(one).packet.number);
    expect(new Set(numbers).size).toBe(1);
    expect((await here.caughtBy(session, [rain.id])).length).toBe(1);
  });

  it("[G2.1-24] is granted to nobody beyond their share, however many come at once", async () => {
    const rain = await falling();
    const session = await player();
    const sent = Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? here : other).catch(merchant, session, tap(rain.id), CLAIMS_NOTHING),
    );
    const codes = (await Promise.all(sent)).map(codeOf).sort();
    expect(codes).toEqual([...Array(10).fill("catches_spent"), "ok", "ok"]);
    const caught = await here.caughtBy(session, [rain.id]);
    const sum = caught.reduce((all, { amount_minor }) => all + amount_minor, 0n);
    expect(await available(session)).toBe(sum);
  });

  it("[G2.1-24] of fifty members at once in two processes never passes the budget, and empties it", async () => {
    const rain = await falling();
    const dealt = await packetsOf(rain.id);
    const members = await Promise.all(Array.from({ length: 50 }, () => player()));
    const answers = await Promise.all(
      members.flatMap((session) =>
        [here, other].map((at) => at.catch(merchant, session, tap(rain.id), CLAIMS_NOTHING)),
      ),
    );
    const codes = answers.map(codeOf);
    expect(new Set(codes)).toEqual(new Set(["ok", "rain_exhausted"]));
    expect(codes.filter((code) => code === "ok")).toHaveLength(dealt.length);
    const balances = await Promise.all(members.map(available));
    const given = balances.reduce((all, one) => all + one, 0n);
    expect(given).toBe(dealt.reduce((all, one) => all + one, 0n));
    expect(given).toBeLessThanOrEqual(10_000n);
    expect((await here.board(merchant)).next).toMatchObject({ id: rain.id, left: 0 });
  });

  it("is refused before the rain, after it, in another brand's rain, and to a blocked member", async () => {
    const rain = await next();
    const session = await player();
    const early = await here.catch(merchant, session, tap(rain.id), CLAIMS_NOTHING);
    expect(early).toMatchObject({
      error: { code: "rain_not_begun", retryAt: rain.starts_at.getTime() },
    });
    clock.set(rain.starts_at.getTime());
    const blocked = { ...session, blocked: true };
    expect(codeOf(await here.catch(merchant, blocked, tap(rain.id), CLAIMS_NOTHING))).toBe(
      "member_blocked",
    );
    const foreign = await player(stranger);
    expect(codeOf(await here.catch(stranger, foreign, tap(rain.id), CLAIMS_NOTHING))).toBe(
      "rainId not_allowed",
    );
    expect(codeOf(await here.catch(merchant, session, tap(freshId("rain")), CLAIMS_NOTHING))).toBe(
      "rainId not_allowed",
    );
    clock.set(rain.ends_at.getTime());
    expect(codeOf(await here.catch(merchant, session, tap(rain.id), CLAIMS_NOTHING))).toBe(
      "rain_over",
    );
    expect(await available(session)).toBe(0n);
  });

  it("whose process died before the money came is paid if it is sent again, or by the close", async () => {
    const rain = await falling();
    const [patient, gone] = [await player(), await player()];
    const dying = process({ credit: () => Promise.reject(new Error("the process died")) });
    const [again, never] = [tap(rain.id), tap(rain.id)];
    await expect(dying.catch(merchant, patient, again, CLAIMS_NOTHING)).rejects.toThrow("died");
    await expect(dying.catch(merchant, gone, never, CLAIMS_NOTHING)).rejects.toThrow("died");
    expect(await here.caughtBy(patient, [rain.id])).toEqual([]);
    const { packet } = taken(await here.catch(merchant, patient, again, CLAIMS_NOTHING));
    expect(await available(patient)).toBe(packet.amount_minor);
    await expect(here.close(rain.id)).rejects.toThrow("not due");
    expect(await available(gone)).toBe(0n);
    clock.set(rain.ends_at.getTime());
    await Promise.all([here.close(rain.id), other.close(rain.id), here.close(rain.id)]);
    expect(await available(gone)).toBeGreaterThanOrEqual(100n);
    expect(await available(patient)).toBe(packet.amount_minor);
  });
});

describe("a catch as a gift of the house", () => {
  it("that is refused leaves its claim with nobody: a sibling catches in the rain", async () => {
    const rain = await next();
    const [jun, maria] = await siblings();
    const early = await catchAs(jun, tap(rain.id));
    expect(codeOf(early)).toBe("rain_not_begun");
    expect(codeOf(await catchAs(jun, tap(freshId("rain"))))).toBe("rainId not_allowed");
    clock.set(rain.ends_at.getTime());
    expect(codeOf(await catchAs(jun, tap(rain.id)))).toBe("rain_over");
    clock.set(rain.starts_at.getTime());
    const kept = await db.pool.query("DELETE FROM red_packets WHERE rain_id = $1 RETURNING *", [
      rain.id,
    ]);
    expect(codeOf(await catchAs(jun, tap(rain.id)))).toBe("rain_exhausted");
    expect(await claimsOf(jun)).toBe(0);
    for (const { number, amount_minor } of kept.rows) {
      await db.pool.query(
        "INSERT INTO red_packets (rain_id, number, amount_minor) VALUES ($1, $2, $3)",
        [...[rain.id, number, amount_minor]],
      );
    }
    taken(await catchAs(maria, tap(rain.id)));
    expect(codeOf(await catchAs(jun, tap(rain.id)))).toBe("gift_taken");
    expect(await available(jun)).toBe(0n);
  });

  it("of siblings that tap many times at once in two processes is one account's share", async () => {
    const rain = await falling();
    const family = await siblings();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => family)
        .flat()
        .map(async (session, i) => ({
          session,
          code: codeOf(await catchAs(session, tap(rain.id), i % 4 < 2 ? here : other)),
        })),
    );
    const caught = answers.filter(({ code }) => code === "ok");
    expect(caught).toHaveLength(2);
    expect(new Set(caught.map(({ session }) => session.memberId)).size).toBe(1);
    const refused = answers.filter(({ session }) => session !== caught[0]?.session);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["gift_taken"]));
  });

  it("is answered again to the member who caught it, whatever has been claimed meanwhile", async () => {
    const rain = await falling();
    const [jun, maria] = await siblings();
    const given = tap(rain.id);
    const { packet } = taken(await catchAs(jun, given));
    await db.pool.query("UPDATE gift_claims SET member_id = $2 WHERE member_id = $1", [
      ...[jun.memberId, maria.memberId],
    ]);
    expect(taken(await catchAs(jun, given)).packet.number).toBe(packet.number);
    expect(codeOf(await catchAs(jun, tap(rain.id)))).toBe("gift_taken");
  });
});

describe("a catch whose answer was lost", () => {
  it("is answered again even if the brand has no rains any more, and pays nothing twice", async () => {
    const rain = await falling();
    const session = await player();
    const given = tap(rain.id);
    const { packet } = taken(await here.catch(merchant, session, given, CLAIMS_NOTHING));
    const flags = { ...merchant.settings.flags, REDRAIN: false };
    const off = { ...merchant, settings: { ...merchant.settings, flags } };
    expect(taken(await other.catch(off, session, given, CLAIMS_NOTHING)).packet.number).toBe(
      packet.number,
    );
    expect(codeOf(await other.catch(off, session, tap(rain.id), CLAIMS_NOTHING))).toBe(
      "feature_off",
    );
  });
});

describe("a rain that is over", () => {
  it("is closed by its job, keeps only what was caught, and is shown with its winners", async () => {
    const rain = await falling();
    const members = await Promise.all(Array.from({ length: 3 }, () => player()));
    for (const session of members)
      await here.catch(merchant, session, tap(rain.id), CLAIMS_NOTHING);
    clock.set(rain.ends_at.getTime());
    // The worker reads the database's clock, by which all that is planned here is long due.
    await db.pool.query("DELETE FROM graphile_worker._private_jobs WHERE key <> $1", [
      `${CLOSE_RAIN}:${rain.id}`,
    ]);
    await runDueJobs({
      pool: db.pool,
      log,
      tasks: { [CLOSE_RAIN]: (payload) => here.close(Reflect.get(Object(payload), "id")) },
    });
    const kept = await packetsOf(rain.id);
    expect(kept).toHaveLength(3);
    const { next: following, past } = await here.board(merchant);
    expect(following?.starts_at.getTime()).toBe(rain.starts_at.getTime() + 10 * MINUTE_MS);
    expect(past).toHaveLength(1);
    expect(past[0]).toMatchObject({
      id: rain.id,
      caught: 3,
      givenMinor: kept.reduce((all, one) => all + one, 0n),
    });
    const winners = present(past[0], "the rain that is over").winners;
    const amounts = winners.map(({ amountMinor }) => amountMinor);
    expect(amounts).toEqual([...amounts].sort((a, b) => Number(b - a)));
    for (const { account } of winners) expect(account).toMatch(/^p\*\*\*\d$/);
    expect((await here.board(stranger)).past).toEqual([]);
  });

  it("that was left is resumed by the plan", async () => {
    const rain = await falling();
    await db.pool.query("DELETE FROM graphile_worker._private_jobs");
    clock.set(rain.ends_at.getTime() + 2 * MINUTE_MS);
    await here.plan();
    const { rows } = await db.pool.query("SELECT key FROM graphile_worker.jobs WHERE key = $1", [
      `${CLOSE_RAIN}:${rain.id}`,
    ]);
    expect(rows).toHaveLength(1);
  });
});

function process(books: Pick<Ledger, "credit">, brands = [merchant, stranger]): RedRains {
  return new RedRains({
    ...{ pool: db.pool, ledger: books, clock, entropy },
    brands: async () => brands,
  });
}

/** Two accounts whose money goes to the same place. */
async function siblings(): Promise<readonly [Session, Session]> {
  return [await player(), await player()];
}

async function catchAs(session: Session, given: ReturnType<typeof tap>, at = here) {
  const parts = { pool: db.pool, clock, entropy };
  const claim = await siblingClaim(parts, merchant, session, { rain: given.rainId });
  return at.catch(merchant, session, given, claim);
}

async function claimsOf({ memberId }: Session): Promise<number> {
  const { rowCount } = await db.pool.query("SELECT FROM gift_claims WHERE member_id = $1", [
    memberId,
  ]);
  return rowCount ?? 0;
}

async function next() {
  return present((await here.board(merchant)).next, "the next rain");
}

/** The next rain, which has just begun. */
async function falling() {
  const rain = await next();
  clock.set(rain.starts_at.getTime());
  return rain;
}

function player(of: Merchant = merchant): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, of);
}

function available(session: Session): Promise<bigint> {
  return availableOf(ledger, accountOf(session.memberId, session.currency));
}

async function packetsOf(rainId: string): Promise<bigint[]> {
  const { rows } = await db.pool.query<{ amount_minor: bigint }>(
    "SELECT amount_minor FROM red_packets WHERE rain_id = $1",
    [rainId],
  );
  return rows.map(({ amount_minor }) => amount_minor);
}

function tap(rainId: string) {
  return { id: freshId("catch"), rainId };
}

function freshId(kind: "catch" | "rain"): string {
  return mintId(kind, clock.now(), entropy.bytes(16));
}
