import { createPublicKey, verify } from "node:crypto";
import { setTimeout as realSleep } from "node:timers/promises";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { KiteChain } from "@perya/contract/rounds";
import type { SaranggolaState } from "@perya/contract/socket";
import { seedHash } from "@perya/games/fairness";
import {
  cashOutMinor,
  commitmentText,
  crashHundredths,
  elapsedAtMs,
  flightEndsAtMs,
  multiplierAt,
} from "@perya/games/saranggola";
import { verifySaranggolaRound } from "@perya/games/verify-round";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, type Clock, HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  availableOf,
  freshSeed,
  isQuiet,
  makeBrand,
  makeLedger,
  makeMember,
  manualClock,
  seededEntropy,
  stillKept,
} from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { localBus } from "../../platform/bus.ts";
import { CLOCK_SETTLES_MS, type Pause } from "../../platform/clock.ts";
import { KEEPER_LEASE_MS, Keeper } from "../../platform/keeper.ts";
import { createLease } from "../../platform/lease.ts";
import { createLogger } from "../../platform/log.ts";
import { createPool, withTransaction } from "../../platform/postgres/pool.ts";
import { signingKey } from "../../platform/signing-key.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { keptKite } from "./kite-keeper.ts";
import { KiteView } from "./kite-view.ts";
import { saranggolaRoutes } from "./saranggola.routes.ts";
import {
  askOnce,
  betsOfRound,
  type FlightRow,
  findFlight,
  insertBet,
  insertFlight,
  retireChains,
} from "./saranggola.store.ts";
import { CRASHED_MS, Saranggola, WAITING_MS, WRITTEN_WITHIN_MS } from "./saranggola.ts";

const clock = manualClock();
const entropy = seededEntropy(freshSeed("saranggola"));
const log = createLogger({ level: "silent" });
const signing = signingKey("secret", "chains");
let db: TestDatabase;
let ledger: Ledger;
let otherLedger: Ledger;
let merchant: Merchant;
/** Another brand of the same installation. */
let fiesta: Merchant;
let view: KiteView;
let otherView: KiteView;
/** What the sockets of the first process were sent, oldest first. */
const told: (Versioned & { readonly brand: string })[] = [];
/** The catalogue's answer for the kite; null: open. */
let closed: Refusal | null = null;
/** What happens while a picture of the kite is read. */
let whilePictured: () => Promise<void> = async () => undefined;
let kite: Saranggola;
/** The same kite in another process. */
let other: Saranggola;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db);
  otherLedger = makeLedger(db);
  merchant = await makeBrand(db.pool, clock);
  fiesta = await makeBrand(db.pool, clock);
});

afterAll(async () => {
  await ledger.close();
  await otherLedger.close();
  await db.drop();
});

beforeEach(() => {
  closed = null;
  whilePictured = async () => undefined;
  const bus = localBus();
  told.length = 0;
  view = new KiteView(bus, (brand, event) => told.push({ brand, ...event }));
  kite = process(ledger, view);
  otherView = new KiteView(bus, () => undefined);
  other = process(otherLedger, otherView);
});

/** After every test all flights are over, and nothing of them is open in books or record. */
afterEach(async () => {
  vi.useRealTimers();
  expect(await ledger.verify()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT b.id FROM saranggola_bets b JOIN saranggola_rounds f ON f.id = b.round_id
     WHERE f.phase IN ('crashed', 'voided') AND b.state = 'placed'`,
  );
  expect(rows).toEqual([]);
  await db.pool.query("UPDATE saranggola_rounds SET phase = 'flying' WHERE phase = 'waiting'");
  await kite.voidInterrupted(stillKept);
});

describe("a bet on the kite", () => {
  it("is taken while it waits, moves the stake once and is shown to everyone", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n, 200);
    const placed = taken(await kite.bet(merchant, session, given));
    expect(placed).toMatchObject({ id: given.id, state: "placed", autoCashOut: 200 });
    for (const process of [kite, other]) {
      expect(taken(await process.bet(merchant, session, given))).toEqual(placed);
    }
    expect(await available(session)).toBe(9_500n);
    expect(view.snapshot(merchant.id)?.data.bets).toEqual([
      expect.objectContaining({ betId: placed.shownAs, stake: { minor: "500", currency: "PHP" } }),
    ]);
    expect(await kite.betsOf(session)).toEqual([placed]);
  });

  it("sent many times at once to two processes is one bet", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? kite : other).bet(merchant, session, given),
    );
    for (const placed of await Promise.all(sent)) expect(taken(placed).id).toBe(given.id);
    expect(await available(session)).toBe(9_500n);
  });

  it("with an id that another player's browser minted too is one of its own", async () => {
    const flight = await prepared(250);
    const given = bet(flight, 500n);
    const players = [await player(10_000n), await player(10_000n)];
    for (const session of players) taken(await kite.bet(merchant, session, given));
    for (const session of players) expect(await available(session)).toBe(9_500n);
    expect(await ledger.verify()).toEqual([]);
  });

  it("is shown beside another's with its id in every process, and each keeps its own cash-out", async () => {
    const flight = await prepared(1_000);
    const [victim, copier] = [await player(10_000n), await player(10_000n)];
    const given = bet(flight, 500n);
    const own = taken(await kite.bet(merchant, victim, given));
    // Equal stakes are shown in order of arrival.
    clock.advance(1);
    const copy = taken(await other.bet(merchant, copier, { ...given, autoCashOut: 101 }));
    expect(copy.shownAs).not.toBe(own.shownAs);
    const shown = () =>
      [view, otherView].map((one) =>
        one.snapshot(merchant.id)?.data.bets.map((bet) => [bet.betId, bet.cashedOutAt]),
      );
    const waiting = [
      [own.shownAs, null],
      [copy.shownAs, null],
    ];
    expect(shown()).toEqual([waiting, waiting]);
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    expect(shown()).toEqual([waiting, waiting]);
    clock.advance(elapsedAtMs(150));
    await kite.payReached(flight, 101);
    const flying = [
      [own.shownAs, null],
      [copy.shownAs, 101],
    ];
    expect(shown()).toEqual([flying, flying]);
    const out = taken(await other.cashOut(victim, given.id));
    expect(out.cashedOutAt).toBe(150);
    const both = [
      [own.shownAs, 150],
      [copy.shownAs, 101],
    ];
    expect(shown()).toEqual([both, both]);
    await flown(flight);
    expect(shown()).toEqual([both, both]);
  });

  it("is shown to its own brand only, as are its cash-out and its end, in every process", async () => {
    const bus = localBus();
    const heard: { brand: string; event: unknown; version: number; after: number }[] = [];
    const here = new KiteView(bus, (brand, event) => heard.push({ brand, ...event }));
    const there = new KiteView(bus, () => undefined);
    const flier = process(ledger, here);
    const flight = await flier.prepare();
    const [ours, theirs] = [await player(10_000n), await player(10_000n, fiesta)];
    const [one, two] = [bet(flight, 500n), bet(flight, 700n, 101)];
    const own = taken(await flier.bet(merchant, ours, one));
    const far = taken(await process(otherLedger, there).bet(fiesta, theirs, two));
    // The gathered changes are sent.
    await expect.poll(() => heard.length).toBe(4);
    const idsOf = (view: KiteView, { id }: Merchant) =>
      view.snapshot(id)?.data.bets.map(({ betId }) => betId);
    for (const view of [here, there]) {
      expect(idsOf(view, merchant)).toEqual([own.shownAs]);
      expect(idsOf(view, fiesta)).toEqual([far.shownAs]);
    }
    clock.set(flight.starts_at.getTime());
    await flier.takeOff(flight);
    clock.advance(5_000);
    await flier.cashOut(theirs, two.id);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 100000 WHERE id = $1", [
      flight.id,
    ]);
    await crashed(flier, { ...flight, crash_at: 100_000 });
    // A process that starts now learns it from the books.
    const late = new KiteView(localBus(), () => undefined);
    await process(ledger, late).watch();
    for (const view of [here, there, late]) {
      expect(idsOf(view, merchant)).toEqual([own.shownAs]);
      expect(idsOf(view, fiesta)).toEqual([far.shownAs]);
    }
    for (const [brand, foreign] of [
      [merchant, two],
      [fiesta, one],
    ] as const) {
      const told = heard.filter((event) => event.brand === brand.id);
      expect(JSON.stringify(told)).not.toContain(foreign.id);
      // A page that got all events of its brand has missed nothing.
      let last = 0;
      for (const { version, after } of told) {
        expect(after === 0 || after === last).toBe(true);
        last = version;
      }
    }
  });

  it("is one per player and flight: a second one is refused, at once or later", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const bets = [bet(flight, 500n), bet(flight, 500n), bet(flight, 700n)];
    const sent = await Promise.all(
      bets.map((given, i) => (i % 2 ? kite : other).bet(merchant, session, given)),
    );
    expect(sent.map(codeOf).sort()).toEqual(["already_bet", "already_bet", "ok"]);
    expect(codeOf(await kite.bet(merchant, session, bet(flight, 100n)))).toBe("already_bet");
    expect([9_500n, 9_300n]).toContain(await available(session));
  });

  it("with a known id is refused with another stake, target or flight", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n, 200);
    await kite.bet(merchant, session, given);
    const stake = { ...given, stake: { minor: 600n, currency: "PHP" as const } };
    expect(codeOf(await kite.bet(merchant, session, stake))).toBe("id_reused");
    const target = { ...given, autoCashOut: 300 };
    expect(codeOf(await kite.bet(merchant, session, target))).toBe("id_reused");
    await flown(flight);
    const next = await prepared(250);
    const later = { ...given, roundId: next.id };
    expect(codeOf(await kite.bet(merchant, session, later))).toBe("id_reused");
  });

  it("on a flight whose id another round of the player's has is refused, and nothing moves", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const account = accountOf(session.memberId, session.currency);
    const wallet = new VendorWallet(db.pool, ledger, clock);
    const taken = await wallet.bet({
      ...{ account, vendor: HOUSE_VENDOR, roundId: flight.id, transactionId: "another game's" },
      ...{ amount: 500n, merchantId: merchant.id, gameId: "color-game", blocked: false },
    });
    expect(taken.ok).toBe(true);
    expect(
      await wallet.win({
        ...{ account, vendor: HOUSE_VENDOR, roundId: flight.id, transactionId: "its win" },
        ...{ betTransactionId: "another game's", amount: 0n, closesRound: true },
      }),
    ).toMatchObject({ ok: true });
    expect(codeOf(await kite.bet(merchant, session, bet(flight, 500n)))).toBe("id_reused");
    expect(await available(session)).toBe(9_500n);
  });

  it("is refused from the take-off on, even before the kite was seen to fly", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    clock.set(flight.starts_at.getTime());
    expect(codeOf(await kite.bet(merchant, session, bet(flight, 500n)))).toBe("bets_closed");
    await kite.takeOff(flight);
    clock.set(flight.starts_at.getTime() - 1);
    expect(codeOf(await kite.bet(merchant, session, bet(flight, 500n)))).toBe("bets_closed");
    expect(await available(session)).toBe(10_000n);
  });

  it("is refused while the kite is closed to the player, but one that exists flies and is paid", async () => {
    const flight = await prepared(300);
    const [session, late] = [await player(10_000n), await player(10_000n)];
    const given = bet(flight, 500n);
    const placed = taken(await kite.bet(merchant, session, given));
    closed = refusal("maintenance");
    expect(codeOf(await kite.bet(merchant, late, bet(flight, 500n)))).toBe("maintenance");
    expect(await available(late)).toBe(10_000n);
    expect(taken(await other.bet(merchant, session, given))).toEqual(placed);
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    clock.advance(elapsedAtMs(200));
    expect(codeOf(await other.cashOut(session, given.id))).toBe("ok");
    expect(await available(session)).toBe(10_500n);
  });

  it("that exists is answered again if the brand's limit has come down since", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n);
    const placed = taken(await kite.bet(merchant, session, given));
    const { settings } = merchant;
    const stakes = { ...settings.stakes, maxMinor: 100n };
    const careful = { ...merchant, settings: { ...settings, stakes } };
    expect(taken(await other.bet(careful, session, given))).toEqual(placed);
    expect(await available(session)).toBe(9_500n);
  });

  it.each([
    ["while the kite flies", async (flight: FlightRow) => void (await kite.takeOff(flight))],
    ["after the crash", flown],
  ])("that reaches the ledger %s is not taken, and the stake stays", async (_, ride) => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const held = await holdWallet(session);
    const late = kite.bet(merchant, session, bet(flight, 500n));
    await lockAwaited();
    await ride(flight);
    await held.free();
    expect(codeOf(await late)).toBe("bets_closed");
    expect(await available(session)).toBe(10_000n);
    const standing = await findFlight(db.pool, flight.id);
    if (standing?.phase === "flying") await flown(flight);
  });

  it("that is being booked delays the take-off, and flies", async () => {
    const flight = await prepared(200);
    const late = await player(0n);
    const { lane, id: account_id } = walletOf(late);
    const client = await db.pool.connect();
    try {
      await client.query("BEGIN");
      const bets = [
        {
          ...{ lane, account_id, id: bet(flight, 1n).id, round_id: flight.id },
          ...{ member_id: late.memberId, masked_account: "l***", currency: "PHP" },
          ...{ stake_minor: 100, auto_cash_out: null, at: clock.now() },
        },
      ];
      await client.query(insertBet.sql, [JSON.stringify(bets)]);
      const takeOff = kite.takeOff(flight);
      expect(await Promise.race([takeOff, realSleep(100, "it waits")])).toBe("it waits");
      await client.query("COMMIT");
      await takeOff;
    } finally {
      client.release();
    }
    await flown(flight);
    const states = (await betsOfRound(db.pool, flight.id)).map(({ state }) => state);
    expect(states).toEqual(["lost"]);
    // Only this test books it.
    await db.pool.query("DELETE FROM saranggola_bets WHERE account_id = $1", [account_id]);
  });

  it("needs whole pesos within the brand's limit, of the wallet's currency, and the money", async () => {
    const flight = await prepared(250);
    const session = await player(1_000n);
    const { maxMinor } = merchant.settings.stakes;
    const stake = (minor: bigint) => kite.bet(merchant, session, bet(flight, minor));
    expect(codeOf(await stake(50n))).toBe("stake.minor not_multiple");
    expect(codeOf(await stake(150n))).toBe("stake.minor not_multiple");
    expect(codeOf(await stake(maxMinor + 100n))).toBe("stake.minor too_big");
    expect(codeOf(await stake(1_100n))).toBe("insufficient_funds");
    const fun = { ...bet(flight, 100n), stake: { minor: 100n, currency: "FUN" as const } };
    expect(codeOf(await kite.bet(merchant, session, fun))).toBe("stake.currency foreign_currency");
    const nowhere = { ...bet(flight, 100n), roundId: mintId("round", 0, entropy.bytes(16)) };
    expect(codeOf(await kite.bet(merchant, session, nowhere))).toBe("roundId not_allowed");
    const blocked = { ...session, blocked: true };
    expect(codeOf(await kite.bet(merchant, blocked, bet(flight, 100n)))).toBe("member_blocked");
    expect(await available(session)).toBe(1_000n);
  });

  it("rises no further than the brand's largest pay-out, with a target or without", async () => {
    const { settings } = merchant;
    const stakes = { ...settings.stakes, maxPayoutMinor: 10_000n };
    const careful = { ...merchant, settings: { ...settings, stakes } };
    const flight = await prepared(2_500);
    const place = async (stakeMinor: bigint, target: number | null, by = careful) =>
      kite.bet(by, await player(20_000n), bet(flight, stakeMinor, target));
    const limitOf = async (asked: ReturnType<typeof place>) => (await asked) as unknown;
    expect(await limitOf(place(500n, 2_001))).toMatchObject({
      error: {
        fields: [{ field: "autoCashOut", code: "too_big", limit: "2000", unit: "hundredths" }],
      },
    });
    expect(await limitOf(place(10_000n, null))).toMatchObject({
      error: { fields: [{ field: "stake.minor", code: "too_big", limit: "9900", unit: "PHP" }] },
    });
    expect(taken(await place(500n, 2_000))).toMatchObject({ autoCashOut: 2_000 });
    expect(taken(await place(500n, null, merchant))).toMatchObject({ autoCashOut: null });
    const session = await player(10_000n);
    const given = bet(flight, 500n, null);
    const placed = taken(await kite.bet(careful, session, given));
    expect(placed).toMatchObject({ autoCashOut: 2_000 });
    for (const by of [careful, merchant]) {
      expect(taken(await other.bet(by, session, given))).toEqual(placed);
    }
    await flown(flight);
    expect(await available(session)).toBe(9_500n + 10_000n);
  });
});

describe("a cash-out", () => {
  it("pays the multiplier of the moment at which it was received", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + 7_000);
    const held = await holdWallet(session);
    const asked = kite.cashOut(session, given.id);
    await lockAwaited();
    // The kite is long gone by the time the ledger answers.
    clock.advance(60_000);
    await held.free();
    const paid = taken(await asked);
    const expected = multiplierAt(7_000);
    expect(paid).toMatchObject({ state: "cashed", cashedOutAt: expected });
    expect(paid.payout.minor).toBe(cashOutMinor(1_000n, expected));
    expect(await available(session)).toBe(9_000n + paid.payout.minor);
    for (const process of [kite, other]) {
      expect(taken(await process.cashOut(session, given.id))).toEqual(paid);
    }
    expect(await available(session)).toBe(9_000n + paid.payout.minor);
    expect(view.snapshot(merchant.id)?.data.bets[0]).toMatchObject({ cashedOutAt: expected });
  });

  it("counts in the last millisecond before the crash, and not in the next", async () => {
    const end = flightEndsAtMs(150);
    const inTime = await flyingWith(150, 1_000n, null);
    clock.set(inTime.flight.starts_at.getTime() + end - 1);
    expect(taken(await kite.cashOut(inTime.session, inTime.given.id)).cashedOutAt).toBe(150);
    await flown(inTime.flight);

    const late = await flyingWith(150, 1_000n, null);
    clock.set(late.flight.starts_at.getTime() + end);
    expect(codeOf(await kite.cashOut(late.session, late.given.id))).toBe("round_over");
    await flown(late.flight);
    expect(await available(late.session)).toBe(9_000n);
  });

  it("that is too late is answered no sooner than the crash", async () => {
    const waits: number[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    });
    for (const late of [0, CLOCKS_APART_MS - 1, CLOCKS_APART_MS]) {
      const { flight, session, given } = await flyingWith(150, 1_000n, null);
      clock.set(flight.starts_at.getTime() + flightEndsAtMs(150) + late);
      expect(codeOf(await patient.cashOut(session, given.id))).toBe("round_over");
      const waited = [...waits];
      // By then it is in the books.
      expect(codeOf(await patient.cashOut(session, given.id))).toBe("round_over");
      expect(waits).toEqual(waited);
      await flown(flight);
    }
    expect(waits).toEqual([CLOCKS_APART_MS, 1]);
  });

  it("that is too late is one write per process, however many riders are late at once", async () => {
    const flight = await prepared(150);
    const riders = await Promise.all(Array.from({ length: 5 }, () => player(10_000n)));
    const bets = await Promise.all(
      riders.map(async (session) => {
        const given = bet(flight, 1_000n);
        taken(await kite.bet(merchant, session, given));
        return { session, given };
      }),
    );
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    clock.advance(flightEndsAtMs(150) + CLOCKS_APART_MS);
    const query = vi.spyOn(db.pool, "query");
    const answers = await Promise.all(
      bets.map(({ session, given }) => kite.cashOut(session, given.id)),
    );
    const written = query.mock.calls.filter(([text]) => `${text}`.includes("SET phase"));
    query.mockRestore();
    expect(answers.map(codeOf)).toEqual(riders.map(() => "round_over"));
    expect(written).toHaveLength(1);
    await flown(flight);
  });

  it("in time is answered, and its money seen, no sooner than a crash at that moment would be announced", async () => {
    const seen: string[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      const { state } = present((await kite.betsOf(rider.session))[0], "the bet");
      seen.push(`${ms} ms, ${state}, ${await available(rider.session)}`);
      clock.advance(ms);
    });
    const rider = await flyingWith(300, 1_000n, null);
    clock.set(rider.flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await patient.cashOut(rider.session, rider.given.id)).cashedOutAt).toBe(200);
    expect(seen).toEqual([`${CLOCKS_APART_MS} ms, placed, 9000`]);
    expect(await available(rider.session)).toBe(11_000n);
    await flown(rider.flight);
  });

  it("past a target that its flight has reached is answered as one before the crash is, and after it", async () => {
    const waits: number[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    });
    for (const at of [elapsedAtMs(200), flightEndsAtMs(250)]) {
      const { flight, session, given } = await flyingWith(250, 1_000n, 150);
      clock.set(flight.starts_at.getTime() + at);
      expect(taken(await patient.cashOut(session, given.id)).cashedOutAt).toBe(150);
      await flown(flight);
    }
    expect(waits).toEqual([CLOCKS_APART_MS, CLOCKS_APART_MS]);
  });

  it("after the crash is refused, and pays nobody, also if the clock is set back into the flight", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300) + CLOCKS_APART_MS);
    const ended = await kite.crash({ ...flight, crash_at: 300 });
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(codeOf(await kite.cashOut(session, given.id))).toBe("round_over");
    await kite.settle(ended);
    expect(await available(session)).toBe(9_000n);
  });

  it("is refused before the kite has left the ground", async () => {
    const flight = await prepared(300);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n);
    await kite.bet(merchant, session, given);
    expect(codeOf(await kite.cashOut(session, given.id))).toBe("not_flying");
    // Past its time with no keeper to fly it: it will wait anew.
    clock.set(flight.starts_at.getTime() + 5_000);
    expect(codeOf(await kite.cashOut(session, given.id))).toBe("not_flying");
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    expect(codeOf(await kite.cashOut(session, given.id))).toBe("not_flying");
    await flown(flight);
  });

  it("by hand after the target pays the target", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, 150);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    const paid = taken(await kite.cashOut(session, given.id));
    expect(paid).toMatchObject({ cashedOutAt: 150, payout: { minor: 1_500n } });
  });

  it("of another player's bet, or of none, finds nothing", async () => {
    const { flight, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + 5_000);
    const stranger = await player(1_000n);
    expect(codeOf(await kite.cashOut(stranger, given.id))).toBe("not_found");
    await flown(flight);
  });

  it("races the keeper and another process, and the bet is settled once", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, 150);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
    const [row] = await betsOfRound(db.pool, flight.id);
    const placed = present(row, "the bet");
    const results = await Promise.all([
      kite.pay(placed, 150),
      other.cashOut(session, given.id),
      kite.cashOut(session, given.id),
      other.pay(placed, 150),
    ]);
    for (const result of results) expect(taken(result).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
    expect(await entriesOf(session, "win")).toBe(1);
  });

  it("races a voided flight: either the win or the refund, never both", async () => {
    for (let i = 0; i < 5; i++) {
      const { flight, session, given } = await flyingWith(300, 1_000n, null);
      clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
      const [paid] = await Promise.all([
        kite.cashOut(session, given.id),
        other.voidInterrupted(stillKept).catch(() => undefined),
      ]);
      await other.voidInterrupted(stillKept);
      const [bet] = await kite.betsOf(session);
      expect(bet?.state).toBe(paid.ok ? "cashed" : "voided");
      expect(await available(session)).toBe(paid.ok ? 10_500n : 10_000n);
    }
  });
});

describe("when the database's clock is set while a kite is in the air", () => {
  it.each([
    ["ahead, past its crash too,", 200, 60 * SECOND_MS],
    ["ahead", 100_000, 30 * SECOND_MS],
    ["ahead by little", 100_000, 2 * SECOND_MS],
    ["back", 100_000, -2 * SECOND_MS],
  ])(
    "%s a process that follows it first pays nothing by it, and the flight goes back",
    async (_, crashAt, by) => {
      const flight = await prepared(crashAt);
      const [asker, presser, auto, rider] = [
        await player(10_000n),
        await player(10_000n),
        await player(10_000n),
        await player(10_000n),
      ];
      const [asked, pressed] = [bet(flight, 1_000n), bet(flight, 1_000n)];
      const automatic = bet(flight, 1_000n, 150);
      taken(await kite.bet(merchant, asker, asked));
      taken(await kite.bet(merchant, presser, pressed));
      taken(await kite.bet(merchant, auto, automatic));
      taken(await kite.bet(merchant, rider, bet(flight, 1_000n, 110)));
      clock.set(flight.starts_at.getTime());
      await kite.takeOff(flight);
      clock.advance(elapsedAtMs(130));
      taken(await kite.cashOut(asker, asked.id));
      await kite.payReached(flight, 110);
      const [following, set] = setClock();
      const moved = process(otherLedger, otherView, following);
      set(by);
      for (const [session, given] of [
        [presser, pressed],
        [auto, automatic],
      ] as const) {
        expect(codeOf(await moved.cashOut(session, given.id))).toBe("round_over");
      }
      // Its keeper, whose clock follows later, neither pays a target nor crashes it.
      clock.advance(elapsedAtMs(151) - elapsedAtMs(130));
      await kite.payReached(flight, 150);
      await expect(kite.crash(flight)).rejects.toThrow(/not flying any more/);
      await kite.settleEnded();
      const balances = await Promise.all([asker, presser, auto, rider].map(available));
      expect(balances).toEqual([10_300n, 10_000n, 10_000n, 10_100n]);
      expect(otherView.snapshot(merchant.id)?.data.phase).toBe("voided");
    },
  );

  it("no flight is given back whose end was announced by a process that had not followed yet", async () => {
    const flight = await prepared(200);
    const [late, rider] = [await player(10_000n), await player(10_000n)];
    const [lateBet, ridden] = [bet(flight, 1_000n), bet(flight, 1_000n)];
    taken(await kite.bet(merchant, late, lateBet));
    taken(await kite.bet(merchant, rider, ridden));
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    clock.advance(flightEndsAtMs(200) + CLOCKS_APART_MS);
    const [following, set] = setClock();
    set(-900);
    const keeper = process(otherLedger, otherView, following);
    expect(codeOf(await kite.cashOut(late, lateBet.id))).toBe("round_over");
    // By the keeper's clock it flies on.
    expect(codeOf(await keeper.cashOut(rider, ridden.id))).toBe("round_over");
    await keeper.voidInterrupted(stillKept);
    await keeper.settleEnded();
    expect(await Promise.all([late, rider].map(available))).toEqual([9_000n, 9_000n]);
    expect(otherView.snapshot(merchant.id)?.data.phase).toBe("crashed");
  });

  it.each([
    ["crashed", "brings it down"],
    ["crashed", "is asked by a late rider"],
    ["voided", "brings it down"],
    ["voided", "is asked by a late rider"],
  ])(
    "a keeper's players see a flight %s by a process that could not announce it as soon as the keeper %s",
    async (phase, what) => {
      const [following, set] = setClock();
      const unheard = new KiteView(localBus(), () => undefined);
      const cut = process(otherLedger, unheard, following);
      const { flight, session, given } = await flyingWith(200, 1_000n, null);
      clock.set(flight.starts_at.getTime() + flightEndsAtMs(200) + CLOCKS_APART_MS);
      if (phase === "voided") set(-900);
      expect(codeOf(await cut.cashOut(session, given.id))).toBe("round_over");
      expect(view.snapshot(merchant.id)?.data.phase).toBe("flying");
      if (what === "brings it down") await kite.crash(flight).catch(() => undefined);
      else expect(codeOf(await kite.cashOut(session, given.id))).toBe("round_over");
      expect(told.at(-1)?.event).toMatchObject({ type: "phase", state: { phase } });
      await kite.settleEnded();
      expect(await available(session)).toBe(phase === "voided" ? 10_000n : 9_000n);
    },
  );

  it("nobody hears of an end by a clock that was set while its message waited, and the stakes go back", async () => {
    const [following, set] = setClock();
    const waiting = process(ledger, view, following, db.pool, async () => set(-900));
    const { flight, session, given } = await flyingWith(200, 1_000n, null);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(codeOf(await waiting.cashOut(session, given.id))).toBe("round_over");
    await kite.settleEnded();
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("no keeper that follows it flies a kite before every process judges by the new clock", async () => {
    const [following, set] = setClock();
    const moved = process(otherLedger, otherView, following);
    const left = await prepared(200);
    const session = await player(10_000n);
    const given = bet(left, 1_000n);
    taken(await kite.bet(merchant, session, given));
    set(30 * SECOND_MS);
    const flight = await moved.prepare();
    expect(flight.id).toBe(left.id);
    expect(flight.starts_at.getTime() - following.now()).toBe(2 * CLOCK_SETTLES_MS);
    clock.advance(2 * CLOCK_SETTLES_MS);
    await moved.takeOff(flight);
    clock.advance(elapsedAtMs(150));
    expect(taken(await moved.cashOut(session, given.id)).cashedOutAt).toBe(150);
    await crashed(moved, { ...flight, crash_at: 200 });
    expect((await moved.prepare()).starts_at.getTime() - following.now()).toBe(WAITING_MS);
  });

  it("a kite whose take-off was once written with parts of a millisecond flies", async () => {
    const flight = await kite.prepare();
    await db.pool.query(
      `UPDATE saranggola_rounds SET starts_at = starts_at + interval '665 microseconds'
       WHERE id = $1`,
      [flight.id],
    );
    const again = await kite.prepare();
    expect(again.id).toBe(flight.id);
    await db.pool.query(
      `UPDATE saranggola_rounds SET starts_at = starts_at + interval '665 microseconds'
       WHERE id = $1`,
      [flight.id],
    );
    clock.set(again.starts_at.getTime());
    await kite.takeOff(again);
    await crashed(kite, { ...again, crash_at: 200 });
  });

  /** A process's clock that is set while it runs, as the database's was. */
  function setClock(): [Clock, (by: number) => void] {
    let [ahead, setAt] = [0, Number.NEGATIVE_INFINITY];
    const following = {
      now: () => clock.now() + ahead,
      sinceSetMs: () => clock.elapsed() - setAt,
    };
    return [
      following,
      (by) => {
        [ahead, setAt] = [by, clock.elapsed()];
      },
    ];
  }
});

describe("a cash-out that waits for its wallet", () => {
  it("is paid as it was first requested, whatever another process is asked meanwhile", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
    const held = await holdWallet(session);
    const first = kite.cashOut(session, given.id);
    await lockAwaited();
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    const second = other.cashOut(session, given.id);
    await realSleep(50);
    await held.free();
    for (const paid of [await first, await second]) expect(taken(paid).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
    await flown(flight);
  });

  it("is paid when the flight is over, if it was requested in time", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    const [bet] = await betsOfRound(db.pool, flight.id);
    expect(await askOnce(db.pool, present(bet ?? null, "the bet"), () => 150)).toBe(150);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300));
    await flown(flight);
    expect((await kite.betsOf(session))[0]).toMatchObject({ state: "cashed", cashedOutAt: 150 });
    expect(taken(await kite.cashOut(session, given.id)).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
  });
});

describe("a cash-out at a process that is slow to write it down", () => {
  let slowPool: pg.Pool;
  let slow: Saranggola;

  beforeEach(() => {
    slowPool = createPool(db.url, { max: 1, log });
    slow = process(ledger, view, clock, slowPool);
  });

  afterEach(() => slowPool.end());

  it("is not taken if the kite comes down meanwhile", async () => {
    const { flight, session, given, write } = await askedAt(150, 200);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200) + CLOCKS_APART_MS);
    const ended = await kite.crash(flight);
    expect(codeOf(await write())).toBe("round_over");
    await kite.settle(ended);
    expect((await kite.betsOf(session))[0]).toMatchObject({ id: given.id, state: "lost" });
    expect(await available(session)).toBe(9_000n);
  });

  it("is not taken if the kite is past its end and nobody has announced that", async () => {
    const { flight, session, write } = await askedAt(150, 200);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(codeOf(await write())).toBe("round_over");
    await crashed(kite, flight);
    expect(await available(session)).toBe(9_000n);
  });

  it("pays the target that the kite has reached meanwhile", async () => {
    const { flight, session, write } = await askedAt(150, 200, 180);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(taken(await write()).cashedOutAt).toBe(180);
    await crashed(kite, flight);
    expect(await available(session)).toBe(10_800n);
  });

  it("is answered as the one at another process that was written down meanwhile", async () => {
    const { flight, session, given, write } = await askedAt(150, 300);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await other.cashOut(session, given.id)).cashedOutAt).toBe(200);
    expect(taken(await write()).cashedOutAt).toBe(200);
    expect(await entriesOf(session, "win")).toBe(1);
    await crashed(kite, flight);
  });

  it("pays the multiplier at which it is written down, if the kite still flies", async () => {
    const { flight, session, write } = await askedAt(150, 300);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await write()).cashedOutAt).toBe(200);
    expect(await available(session)).toBe(11_000n);
    await crashed(kite, flight);
  });

  it("pays as it was received if that takes no longer than allowed, past the crash too", async () => {
    const { flight, session, write } = await askedAt(200, 200);
    clock.advance(WRITTEN_WITHIN_MS);
    expect(clock.now()).toBeGreaterThan(flight.starts_at.getTime() + flightEndsAtMs(200));
    const ended = await kite.crash(flight);
    expect(taken(await write()).cashedOutAt).toBe(200);
    await kite.settle(ended);
    expect(await available(session)).toBe(11_000n);
  });

  it("brings the flight down if the clock is set meanwhile, and the stake goes back", async () => {
    let setAt = Number.NEGATIVE_INFINITY;
    const following = { now: clock.now, sinceSetMs: () => clock.elapsed() - setAt };
    slow = process(ledger, view, following, slowPool);
    const { session, write } = await askedAt(150, 100_000);
    setAt = clock.elapsed();
    clock.set(clock.now() + 30 * SECOND_MS);
    expect(codeOf(await write())).toBe("round_over");
    await kite.settleEnded();
    expect((await kite.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("returns less than the stake to a player who asks another process as late as the first allows", () => {
    // Paid at the second wish if the kite has come so far, else at the first: P(crash >= m) is 0.99
    // / m, and the multiplier grows by e^(0.00006 t).
    const apartMs = WRITTEN_WITHIN_MS + CLOCKS_APART_MS;
    expect(0.99 * (2 - Math.exp(-0.00006 * apartMs))).toBeLessThan(1);
  });

  /** A cash-out that the slow process received at `hundredths` and has yet to write down. */
  async function askedAt(hundredths: number, crashAt: number, target: number | null = null) {
    const { flight, session, given } = await flyingWith(crashAt, 1_000n, target);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(hundredths));
    let held = await slowPool.connect();
    const asked = slow.cashOut(session, given.id);
    // The bet and its flight are read; requests for the only connection get it in turn.
    for (let read = 0; read < 2; read++) {
      await expect.poll(() => slowPool.waitingCount).toBe(1);
      const next = slowPool.connect();
      held.release();
      held = await next;
    }
    await expect.poll(() => slowPool.waitingCount).toBe(1);
    const write = () => {
      held.release();
      return asked;
    };
    return { flight, session, given, write };
  }
});

describe("a flight", () => {
  it("pays reached targets and loses the rest when it crashes", async () => {
    const flight = await prepared(200);
    const reached = await player(10_000n);
    const missed = await player(10_000n);
    const byHand = await player(10_000n);
    await kite.bet(merchant, reached, bet(flight, 1_000n, 200));
    await kite.bet(merchant, missed, bet(flight, 1_000n, 201));
    await kite.bet(merchant, byHand, bet(flight, 1_000n));
    await flown(flight);
    expect((await kite.betsOf(reached))[0]).toMatchObject({ state: "cashed", cashedOutAt: 200 });
    expect((await kite.betsOf(missed))[0]).toMatchObject({ state: "lost", cashedOutAt: null });
    expect((await kite.betsOf(byHand))[0]).toMatchObject({ state: "lost" });
    expect(await available(reached)).toBe(11_000n);
    expect(await available(missed)).toBe(9_000n);
    const { rows } = await db.pool.query(
      "SELECT DISTINCT state FROM vendor_rounds WHERE round_id = $1",
      [flight.id],
    );
    expect(rows).toEqual([{ state: "settled" }]);
    expect(view.snapshot(merchant.id)?.data).toMatchObject({ phase: "crashed", crashedAt: 200 });
  });

  it("hides its crash and its seed until it is over, then proves both", async () => {
    await flown(await kite.prepare());
    const flight = await kite.prepare();
    expect(await kite.finished(flight.id)).toBeNull();
    await kite.takeOff(flight);
    expect(await kite.finished(flight.id)).toBeNull();
    expect(view.snapshot(merchant.id)?.data.crashedAt).toBeNull();
    await crashed(kite, flight);
    const shown = present(await other.finished(flight.id), "the finished flight");
    expect(seedHash(shown.seed)).toBe(flight.seed_hash);
    const [chain] = (await other.chains()).filter(({ chainId }) => chainId === shown.chainId);
    const claim = {
      seed: shown.seed,
      index: shown.chainIndex,
      salt: shown.salt,
      crashHundredths: shown.crashedAt,
      ride: null,
    };
    expect(verifySaranggolaRound(claim, present(chain, "its chain")).verdict).toBe("confirmed");
  });

  it("never flies a seed twice, whichever process keeps the kite", async () => {
    const seeds: string[] = [];
    for (const keeper of [kite, kite, other, other, kite, other, kite]) {
      const flight = await keeper.prepare();
      await keeper.takeOff(flight);
      await crashed(keeper, flight);
      const { seed } = present(await keeper.finished(flight.id), "the finished flight");
      const { salt = "" } = view.snapshot(merchant.id)?.data.chain ?? {};
      expect(crashHundredths(seed, salt, 2)).toBe(flight.crash_at);
      const before = seeds.at(-1);
      if (before !== undefined) expect(seedHash(seed)).toBe(before);
      seeds.push(seed);
    }
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it("has its chain's end, salt and length shown and signed before the chain's first bet", async () => {
    await withTransaction(db.pool, retireChains);
    const flight = await kite.prepare();
    for (const shownIn of [view, otherView]) {
      const { phase, chain, chainIndex } = present(shownIn.snapshot(merchant.id), "a picture").data;
      expect({ phase, chainIndex }).toEqual({ phase: "waiting", chainIndex: 0 });
      const shown = present(chain ?? null, "what was published");
      expect(shown).toMatchObject({ chainId: flight.chain_id, form: 2, firstIndex: 0 });
      expect(shown).toMatchObject({ firstHash: flight.seed_hash, length: 20_000 });
      expect(isSigned(shown)).toBe(true);
      for (const change of [{ salt: "other" }, { length: 19_999 }, { firstHash: "0" }]) {
        expect(isSigned({ ...shown, ...change })).toBe(false);
      }
      expect(await other.chains()).toContainEqual(shown);
    }
    const published = await kite.chains();
    await flown(flight);
    await flown(await other.prepare());
    // It is never published a second time.
    expect(await kite.chains()).toEqual(published);
    expect((await kite.finished(flight.id))?.salt).toBeNull();
  });

  it("is of a chain that is signed once, whatever of it flies later", async () => {
    await withTransaction(db.pool, retireChains);
    const sign = vi.spyOn(signing, "sign");
    await flown(await kite.prepare());
    await flown(await kite.prepare());
    expect(sign).toHaveBeenCalledTimes(1);
    sign.mockRestore();
  });

  it("is of a chain that anybody may request as it was published", async () => {
    await flown(await kite.prepare());
    const ask = saranggolaRoutes(kite)["GET /api/v1/saranggola/chains"];
    const reply = taken(await ask({} as never));
    assert("chains" in reply, "the chains are answered as they are");
    expect(reply.chains.length).toBeGreaterThan(0);
    expect(reply).toEqual({ chains: await other.chains() });
  });

  it("of an earlier version's chain goes on in its form, which is published from the next flight on", async () => {
    await withTransaction(db.pool, retireChains);
    const before = await kite.prepare();
    // As a process of an earlier version made and flew it.
    await db.pool.query(
      `WITH flown AS (DELETE FROM saranggola_rounds WHERE id = $1)
       UPDATE saranggola_chains SET next_index = 5, first_index = NULL, first_hash = NULL,
         committed_at = NULL, public_key = NULL, signature = NULL
       WHERE id = $2`,
      [before.id, before.chain_id],
    );
    await db.pool.query("UPDATE saranggola_chains SET form = 1 WHERE id = $1", [before.chain_id]);
    const later = process(ledger, new KiteView(localBus(), () => undefined));
    const flight = await later.prepare();
    const chain = (await later.chains()).find(({ chainId }) => chainId === before.chain_id);
    const shown = present(chain ?? null, "what was published");
    expect(shown).toMatchObject({ form: 1, firstIndex: 5 });
    expect(shown.firstHash).toBe(flight.seed_hash);
    expect(isSigned(shown)).toBe(true);
    await flown(flight);
    const next = await later.prepare();
    await flown(next);
    for (const { id } of [flight, next]) {
      const { seed, chainIndex, salt, crashedAt } = present(await later.finished(id), "a flight");
      const claim = { seed, index: chainIndex, salt, crashHundredths: crashedAt, ride: null };
      // A page of an earlier version asks for the salt here.
      expect(salt).toBe(shown.salt);
      expect(verifySaranggolaRound(claim, shown).verdict).toBe("confirmed");
    }
    await withTransaction(db.pool, retireChains);
  });

  it("of a chain of this form is not flown by a process of an earlier version, which would crash it elsewhere", async () => {
    const { chain_id: chainId } = await kite.prepare();
    const flying = db.pool.query(
      `INSERT INTO saranggola_rounds (id, number, chain_id, chain_index, seed_hash, crash_at, phase,
         starts_at) VALUES ('rnd_before', 1000000, $1, 15000, '', 100, 'crashed', now())`,
      [chainId],
    );
    await expect(flying).rejects.toThrow("saranggola_rounds_form");
  });

  it("prepared by two processes at once is one flight", async () => {
    const results = await Promise.allSettled([kite.prepare(), other.prepare()]);
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    const { rows } = await db.pool.query(
      "SELECT count(*)::int AS waiting FROM saranggola_rounds WHERE phase = 'waiting'",
    );
    expect(rows).toEqual([{ waiting: 1 }]);
  });

  it("that waited when chance was renewed is voided, and the next one is of another chain", async () => {
    const flight = await kite.prepare();
    const session = await player(10_000n);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 1000 WHERE id = $1", [flight.id]);
    taken(await kite.bet(merchant, session, bet(flight, 1_000n, 120)));
    // A restored one is found long after its take-off time, and has never flown.
    clock.advance(600_000);
    await withTransaction(db.pool, retireChains);
    const next = await other.prepare();
    expect(next.chain_id).not.toBe(flight.chain_id);
    await kite.settleEnded();
    expect((await kite.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("that another process prepared since this one looked is not followed by a second", async () => {
    const flight = await kite.prepare();
    const { id, number: _, ...next } = flight;
    const second = { ...next, id: `${id}x`, chain_index: flight.chain_index + 1, form: 2 as const };
    const given = { ...second, seed_hash: "0" };
    await expect(insertFlight(db.pool, given, clock.now())).rejects.toThrow("unfinished");
  });

  it("interrupted in the air is voided: cashed bets stay, other stakes go back", async () => {
    const flight = await prepared(300);
    const [cashed, riding, auto] = [
      await player(10_000n),
      await player(10_000n),
      await player(10_000n),
    ];
    const first = bet(flight, 1_000n);
    const out = taken(await kite.bet(merchant, cashed, first));
    const rode = taken(await kite.bet(merchant, riding, bet(flight, 2_000n)));
    const aimed = taken(await kite.bet(merchant, auto, bet(flight, 3_000n, 250)));
    clock.set(flight.starts_at.getTime());
    await kite.takeOff(flight);
    clock.advance(elapsedAtMs(150));
    taken(await kite.cashOut(cashed, first.id));

    await other.voidInterrupted(stillKept);
    await other.voidInterrupted(stillKept);
    expect(await available(cashed)).toBe(10_500n);
    expect(await available(riding)).toBe(10_000n);
    expect(await available(auto)).toBe(10_000n);
    expect((await kite.betsOf(riding))[0]?.state).toBe("voided");
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    // Every screen was told at once, of each refund once, before any other kite waits.
    const ours = told.filter(({ brand }) => brand === merchant.id);
    const shown = view.snapshot(merchant.id)?.data;
    expect(ours.at(-1)?.event).toEqual({ type: "phase", state: shown });
    expect(shown).toMatchObject({
      roundId: flight.id,
      phase: "voided",
      // The largest stake first.
      bets: [
        { betId: aimed.shownAs, cashedOutAt: null, payout: { minor: "3000", currency: "PHP" } },
        { betId: rode.shownAs, cashedOutAt: null, payout: { minor: "2000", currency: "PHP" } },
        { betId: out.shownAs, cashedOutAt: 150 },
      ],
    });
    expect(codeOf(await kite.cashOut(riding, (await kite.betsOf(riding))[0]?.id ?? ""))).toBe(
      "round_over",
    );
  });

  it("voided while a bet on it was being booked gives that back, at the next take-over at the latest", async () => {
    const { flight, session } = await flyingWith(300, 1_000n, null);
    // As a process leaves it that dies before it looks again.
    await db.pool.query("UPDATE saranggola_rounds SET phase = 'voided' WHERE id = $1", [flight.id]);
    await other.settleEnded();
    expect(await available(session)).toBe(10_000n);
    expect((await kite.betsOf(session))[0]?.state).toBe("voided");
  });

  it("that only waited waits again in the next process, with its bets", async () => {
    const flight = await prepared(300);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n, 200);
    await kite.bet(merchant, session, given);
    clock.advance(60_000);
    await other.voidInterrupted(stillKept);
    const again = await other.prepare();
    expect(again.id).toBe(flight.id);
    expect(again.starts_at.getTime()).toBe(clock.now() + WAITING_MS);
    expect((await kite.betsOf(session))[0]?.state).toBe("placed");
    await flown(again);
    expect(await available(session)).toBe(11_000n);
  });

  it("whose process died between crash and pay-out is settled to the end by the next", async () => {
    const flight = await prepared(200);
    const [reached, lost] = [await player(10_000n), await player(10_000n)];
    await kite.bet(merchant, reached, bet(flight, 1_000n, 150));
    await kite.bet(merchant, lost, bet(flight, 1_000n));
    await kite.takeOff(flight);
    // As a process leaves it that dies before it settles it.
    await kite.crash(flight);
    expect((await kite.betsOf(reached))[0]?.state).toBe("placed");

    await other.voidInterrupted(stillKept);
    await other.settleEnded();
    await other.settleEnded();
    expect(await available(reached)).toBe(10_500n);
    expect(await available(lost)).toBe(9_000n);
    expect((await kite.betsOf(lost))[0]?.state).toBe("lost");
  });

  it("is given up by a keeper that slept while another took it over", async () => {
    const flight = await prepared(300);
    await kite.takeOff(flight);
    await other.voidInterrupted(stillKept);
    await expect(kite.crash(flight)).rejects.toThrow(/not flying any more/);
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    await expect(kite.takeOff(flight)).rejects.toThrow(/not waiting any more/);
  });
});

describe("the keeper of the kite", () => {
  beforeEach(() => {
    // Only the keeper waits by timers here; the database's sockets go on in real time.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  it("flies one kite after another, pays targets, and releases the lease when it stops", async () => {
    const keeper = keeperOf(kite, "one");
    keeper.start();
    const waiting = await seen((state) => state.phase === "waiting");
    // The first flight of this test should rise far enough for the target.
    const session = await player(10_000n);
    const placed = taken(
      await kite.bet(merchant, session, {
        ...bet({ id: waiting.roundId }, 1_000n, 101),
      }),
    );
    const ended = await seen((state) => state.phase === "crashed");
    const next = await seen((state) => state.phase === "waiting");
    expect(next.roundId).not.toBe(waiting.roundId);
    await until(async () => (await kite.betsOf(session))[0]?.state !== "placed");
    const [settled] = await kite.betsOf(session);
    const reached = present(ended.crashedAt, "the crash") >= 101;
    expect(settled).toMatchObject({
      id: placed.id,
      state: reached ? "cashed" : "lost",
      payout: { minor: reached ? 1_010n : 0n },
    });
    await keeper.stop();
    const { rows } = await db.pool.query("SELECT holder FROM leases WHERE name = 'saranggola'");
    expect(rows).toEqual([]);
  });

  it("announces a crash when every process's clock has passed it, so that none pays for the news", async () => {
    const slow = { now: () => clock.now() - CLOCKS_APART_MS };
    const behind = process(otherLedger, view, slow);
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n);
    taken(await kite.bet(merchant, session, given));
    let asked: string | null = null;
    const besides: Promise<unknown>[] = [];
    await keptKite(kite, clock).round({
      during: (work) => work,
      beside: (work) => void besides.push(work),
      until: async (instant) => {
        clock.set(Math.max(clock.now(), instant));
        return true;
      },
      wait: async () => {
        expect(view.snapshot(merchant.id)?.data.phase).toBe("crashed");
        asked = codeOf(await behind.cashOut(session, given.id));
      },
    });
    await Promise.all(besides);
    expect(asked).toBe("round_over");
    expect(await available(session)).toBe(9_000n);
  });

  it("pays a target when every process's clock has passed it, so that silence at the next one tells of no crash", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    taken(await kite.bet(merchant, session, bet(flight, 1_000n, 200)));
    const waits: number[] = [];
    const besides: Promise<unknown>[] = [];
    await keptKite(kite, clock).round({
      during: (work) => work,
      beside: (work) => void besides.push(work),
      until: async (instant) => {
        waits.push(instant - flight.starts_at.getTime());
        clock.set(Math.max(clock.now(), instant));
        return true;
      },
      wait: async () => undefined,
    });
    const instants = [elapsedAtMs(200), flightEndsAtMs(250)].map((ms) => ms + CLOCKS_APART_MS);
    expect(waits.slice(0, 3)).toEqual([0, ...instants]);
    await Promise.all(besides);
    await kite.settleEnded();
    expect(await available(session)).toBe(11_000n);
  });

  it("waits for a dead one's lease, voids its flight, shows that, and lets the next kite wait", async () => {
    const { flight, session } = await flyingWith(100_000, 1_000n, null);
    const dead = leaseOf("dead");
    expect(await dead.hold()).toBe(true);
    const expiresAt = clock.now() + KEEPER_LEASE_MS;
    const keeper = keeperOf(other, "heir");
    keeper.start();
    await until(async () => (await findFlight(db.pool, flight.id))?.phase === "voided");
    expect(clock.now()).toBeGreaterThan(expiresAt);
    const shownUntil = clock.now() + CRASHED_MS;
    await seen((state) => state.phase === "waiting" && state.roundId !== flight.id);
    // The test may have seen the void a little after the keeper did.
    expect(clock.now()).toBeGreaterThan(shownUntil - SECOND_MS);
    expect(await available(session)).toBe(10_000n);
    expect(await dead.hold()).toBe(false);
    await keeper.stop();
  });

  it("makes a waiting kite wait anew, with its bets, if the clock is set back an hour", async () => {
    const keeper = keeperOf(kite, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    taken(await kite.bet(merchant, session, bet({ id: roundId }, 1_000n, 101)));
    clock.set(clock.now() - HOUR_MS);
    const setBackAt = clock.now();
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    expect(clock.now() - setBackAt).toBeLessThan(2 * WAITING_MS);
    await until(async () => (await kite.betsOf(session))[0]?.state !== "placed");
    await keeper.stop();
  });

  it("brings a flying kite down, and gives its stakes back, if the clock is set back an hour", async () => {
    const keeper = keeperOf(kite, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 100000 WHERE id = $1", [roundId]);
    const session = await player(10_000n);
    taken(await kite.bet(merchant, session, bet({ id: roundId }, 1_000n, 50_000)));
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    clock.set(clock.now() - HOUR_MS);
    const setBackAt = clock.now();
    await seen((state) => state.roundId === roundId && state.phase === "voided");
    await seen((state) => state.roundId !== roundId && state.phase === "waiting");
    expect(clock.now() - setBackAt).toBeLessThan(2 * KEEPER_LEASE_MS);
    expect((await kite.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
    await keeper.stop();
  });

  it("makes a waiting kite wait anew if its only process was stopped past the take-off", async () => {
    const keeper = keeperOf(kite, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    taken(await kite.bet(merchant, session, bet({ id: roundId }, 1_000n, 50_000)));
    // It is stopped: time goes on, its timers do not.
    clock.advance(60_000);
    const wokenAt = clock.now();
    const again = await seen((state) => state.phase === "waiting" && state.startsAt > wokenAt);
    expect(again.roundId).toBe(roundId);
    expect((await kite.betsOf(session))[0]?.state).toBe("placed");
    await keeper.stop();
  });

  it.each([
    ["its only process was stopped past its end", () => clock.advance(60_000)],
    ["the clock is set ahead an hour", () => clock.set(clock.now() + HOUR_MS)],
  ])("brings a flying kite down, and gives its stakes back, if %s", async (_, happens) => {
    const prepare = kite.prepare.bind(kite);
    // It flies for longer than the test watches, and for less than the events take.
    kite.prepare = async () => ({ ...(await prepare()), crash_at: 1_000 });
    const keeper = keeperOf(kite, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 1000 WHERE id = $1", [roundId]);
    // A target that a clock passes while no process keeps the flight.
    taken(await kite.bet(merchant, session, bet({ id: roundId }, 1_000n, 500)));
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    happens();
    await seen((state) => state.roundId === roundId && state.phase === "voided");
    await until(async () => (await kite.betsOf(session))[0]?.state === "voided");
    expect(await available(session)).toBe(10_000n);
    await keeper.stop();
  });

  it("gives a flight that was not announced in time back completely, and shows it to nobody, however late it is found", async () => {
    const flight = await prepared(1_000);
    const [riding, auto] = [await player(10_000n), await player(10_000n)];
    const ridden = bet(flight, 1_000n);
    const automatic = bet(flight, 1_000n, 105);
    taken(await kite.bet(merchant, riding, ridden));
    taken(await kite.bet(merchant, auto, automatic));
    clock.set(flight.starts_at.getTime());
    await expect(takenOffIn(1_500, flight)).rejects.toThrow(/late/);
    await other.watch();
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("waiting");
    }
    clock.advance(20_000);
    // Nor does it fly for a player who asks without having seen it, also past its crash.
    expect(codeOf(await other.cashOut(riding, ridden.id))).toBe("not_flying");
    clock.advance(60_000);
    expect(codeOf(await other.cashOut(auto, automatic.id))).toBe("not_flying");
    await other.voidInterrupted(stillKept);
    expect(await available(riding)).toBe(10_000n);
    expect(await available(auto)).toBe(10_000n);
  });

  it("delays a take-off by what a slow database needs, so that the kite flies", async () => {
    const slowMs = 2 * SECOND_MS;
    const first = await prepared(150);
    clock.set(first.starts_at.getTime());
    await expect(takenOffIn(slowMs, first)).rejects.toThrow(/late/);
    await kite.voidInterrupted(stillKept);
    const waiting = await prepared(150);
    const session = await player(10_000n);
    const given = bet(waiting, 1_000n);
    taken(await kite.bet(merchant, session, given));
    clock.set(waiting.starts_at.getTime());
    const { flight } = await takenOffIn(slowMs, waiting);
    expect(flight.starts_at.getTime()).toBe(waiting.starts_at.getTime() + slowMs);
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data).toMatchObject({
        phase: "flying",
        startsAt: flight.starts_at.getTime(),
      });
    }
    expect(codeOf(await other.cashOut(session, given.id))).toBe("not_flying");
    clock.set(flight.starts_at.getTime() + elapsedAtMs(120));
    expect(taken(await other.cashOut(session, given.id)).cashedOutAt).toBe(120);
    await crashed(kite, flight);
  });

  it("lets a kite whose time is past take off from its announcement on", async () => {
    const waiting = await prepared(150);
    clock.set(waiting.starts_at.getTime() + 3 * SECOND_MS);
    const { flight } = await kite.takeOff(waiting);
    expect(flight.starts_at.getTime()).toBe(clock.now());
    expect(view.snapshot(merchant.id)?.data).toMatchObject({ startsAt: clock.now() });
    await crashed(kite, flight);
  });

  it("shows a kite only once a press at any process counts on it, however long writing that down takes", async () => {
    const { waiting, riders } = await twoRiders(1_000);
    const { takenOff, goOn } = await heldBeforeTold(waiting);
    clock.advance(900);
    await Promise.all([kite.watch(), other.watch()]);
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("waiting");
    }
    for (const [by, session, id] of riders) {
      expect(codeOf(await by.cashOut(session, id))).toBe("not_flying");
    }
    await goOn();
    const { flight } = await takenOff;
    const multiplier = multiplierAt(900);
    for (const [by, session, id] of riders) {
      expect(taken(await by.cashOut(session, id)).cashedOutAt).toBe(multiplier);
    }
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("flying");
    }
    await crashed(kite, flight);
  });

  it("measures how long writing an announcement down takes, and flies the next kite by that", async () => {
    const late = await twoRiders(1_000);
    const held = await heldBeforeTold(late.waiting);
    clock.advance(1_500);
    await held.goOn();
    await expect(held.takenOff).rejects.toThrow(/late/);
    expect(view.snapshot(merchant.id)?.data.phase).toBe("waiting");
    await kite.voidInterrupted(stillKept);
    for (const [, session] of late.riders) expect(await available(session)).toBe(10_000n);

    const { waiting, riders } = await twoRiders(1_000);
    const again = await heldBeforeTold(waiting);
    clock.advance(1_500);
    await again.goOn();
    const { flight } = await again.takenOff;
    expect(flight.starts_at.getTime()).toBe(waiting.starts_at.getTime() + 1_500);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(120));
    for (const [by, session, id] of riders) {
      expect(taken(await by.cashOut(session, id)).cashedOutAt).toBe(120);
    }
    await crashed(kite, flight);
  });

  it("crashes no kite on its riders if the database has lost its announcement", async () => {
    const { waiting, riders } = await twoRiders(300);
    const { flight } = await kite.takeOff(waiting);
    await db.pool.query("UPDATE saranggola_rounds SET told = false WHERE id = $1", [flight.id]);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    for (const [by, session, id] of riders) {
      expect(codeOf(await by.cashOut(session, id))).toBe("not_flying");
    }
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300));
    await expect(kite.crash(flight)).rejects.toThrow(/not flying/);
    await kite.voidInterrupted(stillKept);
    for (const [, session] of riders) expect(await available(session)).toBe(10_000n);
  });

  /** A flight whose time has come, with a rider by hand at each process. */
  async function twoRiders(crashAt: number) {
    const waiting = { ...(await prepared(crashAt)), crash_at: crashAt };
    const ridden = async (by: Saranggola) => {
      const [session, given] = [await player(10_000n), bet(waiting, 1_000n)];
      taken(await by.bet(merchant, session, given));
      return [by, session, given.id] as const;
    };
    const riders = [await ridden(kite), await ridden(other)];
    clock.set(waiting.starts_at.getTime());
    return { waiting, riders };
  }

  /** A take-off whose flight is held from when it flies in the books, until it goes on. */
  async function heldBeforeTold(waiting: FlightRow) {
    const client = await db.pool.connect();
    await client.query("BEGIN");
    const held = new Promise<void>((isHeld) => {
      whilePictured = async () => {
        whilePictured = async () => undefined;
        await client.query("SELECT 1 FROM saranggola_rounds WHERE id = $1 FOR SHARE", [waiting.id]);
        isHeld();
      };
    });
    const takenOff = kite.takeOff(waiting);
    takenOff.catch(() => undefined);
    await held;
    await waitsForLock();
    const goOn = async () => {
      await client.query("ROLLBACK");
      client.release();
    };
    return { takenOff, goOn };
  }

  /** Something waits for a lock of another transaction of this database. */
  async function waitsForLock(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const { rowCount } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rowCount !== 0) return;
      await realSleep(10);
    }
    throw new Error("nothing waits");
  }

  /** A take-off during which the database hangs for so long. */
  async function takenOffIn(ms: number, flight: FlightRow): ReturnType<Saranggola["takeOff"]> {
    const client = await db.pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM saranggola_rounds WHERE id = $1 FOR SHARE", [flight.id]);
    const takenOff = kite.takeOff(flight);
    clock.advance(ms);
    await client.query("ROLLBACK");
    client.release();
    return takenOff;
  }

  function leaseOf(holder: string) {
    return createLease(db.pool, clock, "saranggola", holder, KEEPER_LEASE_MS);
  }

  function keeperOf(flown: Saranggola, holder: string): Keeper {
    const lease = leaseOf(holder);
    return new Keeper({
      ...{ kept: keptKite(flown, clock), lease, clock, elapsed: clock.elapsed, log },
      trouble: "it came down",
    });
  }

  /** Advances manual time and the timers together until the condition holds. */
  async function until(done: () => Promise<boolean> | boolean): Promise<void> {
    const look = async () => {
      if (await done()) return true;
      if (!isQuiet(db.pool)) return false;
      clock.advance(50);
      vi.advanceTimersByTime(50);
      return false;
    };
    await expect.poll(look, { interval: 1, timeout: 15_000 }).toBe(true);
  }

  async function seen(fits: (state: SaranggolaState) => boolean): Promise<SaranggolaState> {
    await until(() => {
      const shown = view.snapshot(merchant.id);
      return shown !== null && fits(shown.data);
    });
    return present(view.snapshot(merchant.id), "the picture").data;
  }
});

/** Checks as a holder of the public key would, by other code than that which signs. */
function isSigned(chain: KiteChain): boolean {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: chain.publicKey },
    format: "jwk",
  });
  const text = Buffer.from(commitmentText(chain));
  return verify(null, text, key, Buffer.from(chain.signature, "base64url"));
}

function process(
  books: Ledger,
  shown: KiteView,
  by: Clock = clock,
  pool: pg.Pool = db.pool,
  pause: Pause = async () => undefined,
): Saranggola {
  const wallet = new VendorWallet(db.pool, books, clock);
  const playRefusal = async () => closed;
  return new Saranggola({
    ...{
      pool,
      wallet,
      clock: by,
      entropy,
      view: shown,
      signing,
      playRefusal,
      pause,
      sure: async () => undefined,
    },
    brands: async () => {
      await whilePictured();
      return [merchant, fiesta];
    },
  });
}

/** A flight that waits now and will crash where the test wants it to. */
async function prepared(crashAt: number): Promise<FlightRow> {
  const flight = await kite.prepare();
  await db.pool.query("UPDATE saranggola_rounds SET crash_at = $2 WHERE id = $1", [
    flight.id,
    crashAt,
  ]);
  return { ...flight, crash_at: crashAt };
}

/** From the ground to the end, as the keeper would. */
async function flown(flight: FlightRow): Promise<void> {
  const standing = present(await findFlight(db.pool, flight.id), "the flight");
  if (standing.phase === "waiting") await kite.takeOff(flight);
  await crashed(kite, flight);
}

/** Crashes it as the keeper would. */
async function crashed(by: Saranggola, flight: FlightRow): Promise<void> {
  await by.settle(await by.crash(flight));
}

/** A flight in the air with one player's bet on it. */
async function flyingWith(crashAt: number, stakeMinor: bigint, autoCashOut: number | null) {
  const flight = await prepared(crashAt);
  const session = await player(10_000n);
  const given = bet(flight, stakeMinor, autoCashOut);
  taken(await kite.bet(merchant, session, given));
  clock.set(flight.starts_at.getTime());
  await kite.takeOff(flight);
  return { flight, session, given };
}

function player(balance: bigint, brand = merchant): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, brand, { balance });
}

function walletOf(session: Session) {
  return accountOf(session.memberId, session.currency);
}

function available(session: Session): Promise<bigint> {
  return availableOf(ledger, walletOf(session));
}

function bet(flight: { readonly id: string }, minor: bigint, autoCashOut: number | null = null) {
  return {
    id: mintId("bet", clock.now(), entropy.bytes(16)),
    roundId: flight.id,
    stake: { minor: minor, currency: "PHP" as const },
    autoCashOut,
  };
}

async function entriesOf(session: Session, kind: "win" | "bet"): Promise<number> {
  const page = { beforeSeq: null, limit: 50 };
  return (await ledger.history(walletOf(session), page, [kind])).entries.length;
}

/** Holds the wallet's row until it is freed. */
async function holdWallet(session: Session): Promise<{ free(): Promise<void> }> {
  const { lane, id } = walletOf(session);
  const client = await db.pool.connect();
  await client.query("BEGIN");
  const values = [lane, id];
  await client.query("SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", values);
  return {
    async free() {
      await client.query("ROLLBACK");
      client.release();
    },
  };
}

/** Resolves once some connection of the ledger waits for a row's lock. */
async function lockAwaited(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'perya-ledger' AND wait_event_type = 'Lock'`,
    );
    if (rowCount !== 0) return;
    await realSleep(5);
  }
}
