import { setTimeout as realSleep } from "node:timers/promises";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { refusal } from "@perya/contract/refusal";
import { elapsedAtMs } from "@perya/games/saranggola";
import { mintId } from "@perya/kernel/ids";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openSaranggolaWorld } from "../../../../../tests/server/saranggola-world.ts";
import { localBus } from "../../platform/bus.ts";
import type { Merchant } from "../brand/brand.ts";
import { accountOf } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { betsOfRound, type FlightRow, findFlight, insertBet } from "./saranggola.store.ts";
import { SaranggolaView } from "./saranggola-view.ts";

const world = await openSaranggolaWorld("saranggola");
const { clock, entropy, db, ledger, otherLedger, merchant, fiesta, player, walletOf } = world;
const { available, holdWallet, lockAwaited, process, prepared, flown, crashed, bet } = world;
let { game, other, view, otherView } = world.opened();

beforeEach(() => {
  ({ game, other, view, otherView } = world.opened());
});
afterEach(world.expectOver);

describe("a bet on a flight", () => {
  it("is taken while it waits, moves the stake once and is shown to everyone", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n, 200);
    const placed = taken(await game.bet(merchant, session, given));
    expect(placed).toMatchObject({ id: given.id, state: "placed", autoCashOut: 200 });
    for (const process of [game, other]) {
      expect(taken(await process.bet(merchant, session, given))).toEqual(placed);
    }
    expect(await available(session)).toBe(9_500n);
    expect(view.snapshot(merchant.id)?.data.bets).toEqual([
      expect.objectContaining({ betId: placed.shownAs, stake: { minor: "500", currency: "PHP" } }),
    ]);
    expect(await game.betsOf(session)).toEqual([placed]);
  });

  it("sent many times at once to two processes is one bet", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? game : other).bet(merchant, session, given),
    );
    for (const placed of await Promise.all(sent)) expect(taken(placed).id).toBe(given.id);
    expect(await available(session)).toBe(9_500n);
  });

  it("with an id that another player's browser minted too is one of its own", async () => {
    const flight = await prepared(250);
    const given = bet(flight, 500n);
    const players = [await player(10_000n), await player(10_000n)];
    for (const session of players) taken(await game.bet(merchant, session, given));
    for (const session of players) expect(await available(session)).toBe(9_500n);
    expect(await ledger.verify()).toEqual([]);
  });

  it("is shown beside another's with its id in every process, and each keeps its own cash-out", async () => {
    const flight = await prepared(1_000);
    const [victim, copier] = [await player(10_000n), await player(10_000n)];
    const given = bet(flight, 500n);
    const own = taken(await game.bet(merchant, victim, given));
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
    await game.flights.takeOff(flight);
    expect(shown()).toEqual([waiting, waiting]);
    clock.advance(elapsedAtMs(150));
    await game.flights.payReached(flight, 101);
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
    const here = new SaranggolaView(bus, (brand, event) => heard.push({ brand, ...event }));
    const there = new SaranggolaView(bus, () => undefined);
    const flier = process(ledger, here);
    const flight = await flier.flights.prepare();
    const [ours, theirs] = [await player(10_000n), await player(10_000n, fiesta)];
    const [one, two] = [bet(flight, 500n), bet(flight, 700n, 101)];
    const own = taken(await flier.bet(merchant, ours, one));
    const far = taken(await process(otherLedger, there).bet(fiesta, theirs, two));
    // The gathered changes are sent.
    await expect.poll(() => heard.length).toBe(4);
    const idsOf = (view: SaranggolaView, { id }: Merchant) =>
      view.snapshot(id)?.data.bets.map(({ betId }) => betId);
    for (const view of [here, there]) {
      expect(idsOf(view, merchant)).toEqual([own.shownAs]);
      expect(idsOf(view, fiesta)).toEqual([far.shownAs]);
    }
    clock.set(flight.starts_at.getTime());
    await flier.flights.takeOff(flight);
    clock.advance(5_000);
    await flier.cashOut(theirs, two.id);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 100000 WHERE id = $1", [
      flight.id,
    ]);
    await crashed(flier, { ...flight, crash_at: 100_000 });
    // A process that starts now learns it from the books.
    const late = new SaranggolaView(localBus(), () => undefined);
    await process(ledger, late).flights.watch();
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
      bets.map((given, i) => (i % 2 ? game : other).bet(merchant, session, given)),
    );
    expect(sent.map(codeOf).sort()).toEqual(["already_bet", "already_bet", "ok"]);
    expect(codeOf(await game.bet(merchant, session, bet(flight, 100n)))).toBe("already_bet");
    expect([9_500n, 9_300n]).toContain(await available(session));
  });

  it("with a known id is refused with another stake, target or flight", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n, 200);
    await game.bet(merchant, session, given);
    const stake = { ...given, stake: { minor: 600n, currency: "PHP" as const } };
    expect(codeOf(await game.bet(merchant, session, stake))).toBe("id_reused");
    const target = { ...given, autoCashOut: 300 };
    expect(codeOf(await game.bet(merchant, session, target))).toBe("id_reused");
    await flown(flight);
    const next = await prepared(250);
    const later = { ...given, roundId: next.id };
    expect(codeOf(await game.bet(merchant, session, later))).toBe("id_reused");
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
    expect(codeOf(await game.bet(merchant, session, bet(flight, 500n)))).toBe("id_reused");
    expect(await available(session)).toBe(9_500n);
  });

  it("is refused from the take-off on, even before the flight was seen to take off", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    clock.set(flight.starts_at.getTime());
    expect(codeOf(await game.bet(merchant, session, bet(flight, 500n)))).toBe("bets_closed");
    await game.flights.takeOff(flight);
    clock.set(flight.starts_at.getTime() - 1);
    expect(codeOf(await game.bet(merchant, session, bet(flight, 500n)))).toBe("bets_closed");
    expect(await available(session)).toBe(10_000n);
  });

  it("is refused while the game is closed to the player, but one that exists flies and is paid", async () => {
    const flight = await prepared(300);
    const [session, late] = [await player(10_000n), await player(10_000n)];
    const given = bet(flight, 500n);
    const placed = taken(await game.bet(merchant, session, given));
    world.now.refusal = refusal("maintenance");
    expect(codeOf(await game.bet(merchant, late, bet(flight, 500n)))).toBe("maintenance");
    expect(await available(late)).toBe(10_000n);
    expect(taken(await other.bet(merchant, session, given))).toEqual(placed);
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    clock.advance(elapsedAtMs(200));
    expect(codeOf(await other.cashOut(session, given.id))).toBe("ok");
    expect(await available(session)).toBe(10_500n);
  });

  it("that exists is answered again if the brand's limit has come down since", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 500n);
    const placed = taken(await game.bet(merchant, session, given));
    const { settings } = merchant;
    const stakes = { ...settings.stakes, maxMinor: 100n };
    const careful = { ...merchant, settings: { ...settings, stakes } };
    expect(taken(await other.bet(careful, session, given))).toEqual(placed);
    expect(await available(session)).toBe(9_500n);
  });

  it.each([
    ["during the flight", async (flight: FlightRow) => void (await game.flights.takeOff(flight))],
    ["after the crash", flown],
  ])("that reaches the ledger %s is not taken, and the stake stays", async (_, ride) => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    const held = await holdWallet(session);
    const late = game.bet(merchant, session, bet(flight, 500n));
    await lockAwaited();
    await ride(flight);
    await held();
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
      const takeOff = game.flights.takeOff(flight);
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
    const stake = (minor: bigint) => game.bet(merchant, session, bet(flight, minor));
    expect(codeOf(await stake(50n))).toBe("stake.minor not_multiple");
    expect(codeOf(await stake(150n))).toBe("stake.minor not_multiple");
    expect(codeOf(await stake(maxMinor + 100n))).toBe("stake.minor too_big");
    expect(codeOf(await stake(1_100n))).toBe("insufficient_funds");
    const fun = { ...bet(flight, 100n), stake: { minor: 100n, currency: "FUN" as const } };
    expect(codeOf(await game.bet(merchant, session, fun))).toBe("stake.currency foreign_currency");
    const nowhere = { ...bet(flight, 100n), roundId: mintId("round", 0, entropy.bytes(16)) };
    expect(codeOf(await game.bet(merchant, session, nowhere))).toBe("roundId not_allowed");
    const blocked = { ...session, blocked: true };
    expect(codeOf(await game.bet(merchant, blocked, bet(flight, 100n)))).toBe("member_blocked");
    expect(await available(session)).toBe(1_000n);
  });

  it("rises no further than the brand's largest pay-out, with a target or without", async () => {
    const { settings } = merchant;
    const stakes = { ...settings.stakes, maxPayoutMinor: 10_000n };
    const careful = { ...merchant, settings: { ...settings, stakes } };
    const flight = await prepared(2_500);
    const place = async (stakeMinor: bigint, target: number | null, by = careful) =>
      game.bet(by, await player(20_000n), bet(flight, stakeMinor, target));
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
    const placed = taken(await game.bet(careful, session, given));
    expect(placed).toMatchObject({ autoCashOut: 2_000 });
    for (const by of [careful, merchant]) {
      expect(taken(await other.bet(by, session, given))).toEqual(placed);
    }
    await flown(flight);
    expect(await available(session)).toBe(9_500n + 10_000n);
  });
});
