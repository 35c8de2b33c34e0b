import { createPublicKey, verify } from "node:crypto";
import type { FlightChain } from "@perya/contract/saranggola";
import { seedHash } from "@perya/games/fairness";
import { commitmentText, crashHundredths, elapsedAtMs } from "@perya/games/saranggola";
import { verifySaranggolaRound } from "@perya/games/verify-round";
import { assert, present } from "@perya/kernel/assert";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { stillKept } from "../../../../../tests/server/fixtures.ts";
import { openSaranggolaWorld } from "../../../../../tests/server/saranggola-world.ts";
import { localBus } from "../../platform/bus.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { WAITING_MS } from "./flights.ts";
import { saranggolaRoutes } from "./saranggola.routes.ts";
import { findFlight, insertFlight, retireChains } from "./saranggola.store.ts";
import { SaranggolaView } from "./saranggola-view.ts";

const world = await openSaranggolaWorld("flights of Saranggola");
const { clock, db, ledger, merchant, signing, told, player, available, process, prepared } = world;
const { flown, crashed, flyingWith, bet } = world;
let { game, other, view, otherView } = world.opened();

beforeEach(() => {
  ({ game, other, view, otherView } = world.opened());
});
afterEach(world.expectOver);

describe("a flight", () => {
  it("pays reached targets and loses the rest when it crashes", async () => {
    const flight = await prepared(200);
    const reached = await player(10_000n);
    const missed = await player(10_000n);
    const byHand = await player(10_000n);
    await game.bet(merchant, reached, bet(flight, 1_000n, 200));
    await game.bet(merchant, missed, bet(flight, 1_000n, 201));
    await game.bet(merchant, byHand, bet(flight, 1_000n));
    await flown(flight);
    expect((await game.betsOf(reached))[0]).toMatchObject({ state: "cashed", cashedOutAt: 200 });
    expect((await game.betsOf(missed))[0]).toMatchObject({ state: "lost", cashedOutAt: null });
    expect((await game.betsOf(byHand))[0]).toMatchObject({ state: "lost" });
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
    await flown(await game.flights.prepare());
    const flight = await game.flights.prepare();
    expect(await game.flights.chains.finished(flight.id)).toBeNull();
    await game.flights.takeOff(flight);
    expect(await game.flights.chains.finished(flight.id)).toBeNull();
    expect(view.snapshot(merchant.id)?.data.crashedAt).toBeNull();
    await crashed(game, flight);
    const shown = present(await other.flights.chains.finished(flight.id), "the finished flight");
    expect(seedHash(shown.seed)).toBe(flight.seed_hash);
    const [chain] = (await other.flights.chains.latest()).filter(
      ({ chainId }) => chainId === shown.chainId,
    );
    const claim = {
      seed: shown.seed,
      index: shown.chainIndex,
      salt: shown.salt,
      crashHundredths: shown.crashedAt,
      ride: null,
    };
    expect(verifySaranggolaRound(claim, present(chain, "its chain")).verdict).toBe("confirmed");
  });

  it("never flies a seed twice, whichever process keeps the flights", async () => {
    const seeds: string[] = [];
    for (const keeper of [game, game, other, other, game, other, game]) {
      const flight = await keeper.flights.prepare();
      await keeper.flights.takeOff(flight);
      await crashed(keeper, flight);
      const { seed } = present(
        await keeper.flights.chains.finished(flight.id),
        "the finished flight",
      );
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
    const flight = await game.flights.prepare();
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
      expect(await other.flights.chains.latest()).toContainEqual(shown);
    }
    const published = await game.flights.chains.latest();
    await flown(flight);
    await flown(await other.flights.prepare());
    // It is never published a second time.
    expect(await game.flights.chains.latest()).toEqual(published);
    expect((await game.flights.chains.finished(flight.id))?.salt).toBeNull();
  });

  it("is of a chain that is signed once, whatever of it flies later", async () => {
    await withTransaction(db.pool, retireChains);
    const sign = vi.spyOn(signing, "sign");
    await flown(await game.flights.prepare());
    await flown(await game.flights.prepare());
    expect(sign).toHaveBeenCalledTimes(1);
    sign.mockRestore();
  });

  it("is of a chain that anybody may request as it was published", async () => {
    await flown(await game.flights.prepare());
    const ask = saranggolaRoutes(game)["GET /api/v1/saranggola/chains"];
    const reply = taken(await ask({} as never));
    assert("chains" in reply, "the chains are answered as they are");
    expect(reply.chains.length).toBeGreaterThan(0);
    expect(reply).toEqual({ chains: await other.flights.chains.latest() });
  });

  it("of an earlier version's chain goes on in its form, which is published from the next flight on", async () => {
    await withTransaction(db.pool, retireChains);
    const before = await game.flights.prepare();
    // As a process of an earlier version made and flew it.
    await db.pool.query(
      `WITH flown AS (DELETE FROM saranggola_rounds WHERE id = $1)
       UPDATE saranggola_chains SET next_index = 5, first_index = NULL, first_hash = NULL,
         committed_at = NULL, public_key = NULL, signature = NULL
       WHERE id = $2`,
      [before.id, before.chain_id],
    );
    await db.pool.query("UPDATE saranggola_chains SET form = 1 WHERE id = $1", [before.chain_id]);
    const later = process(ledger, new SaranggolaView(localBus(), () => undefined));
    const flight = await later.flights.prepare();
    const chain = (await later.flights.chains.latest()).find(
      ({ chainId }) => chainId === before.chain_id,
    );
    const shown = present(chain ?? null, "what was published");
    expect(shown).toMatchObject({ form: 1, firstIndex: 5 });
    expect(shown.firstHash).toBe(flight.seed_hash);
    expect(isSigned(shown)).toBe(true);
    await flown(flight);
    const next = await later.flights.prepare();
    await flown(next);
    for (const { id } of [flight, next]) {
      const { seed, chainIndex, salt, crashedAt } = present(
        await later.flights.chains.finished(id),
        "a flight",
      );
      const claim = { seed, index: chainIndex, salt, crashHundredths: crashedAt, ride: null };
      // A page of an earlier version asks for the salt here.
      expect(salt).toBe(shown.salt);
      expect(verifySaranggolaRound(claim, shown).verdict).toBe("confirmed");
    }
    await withTransaction(db.pool, retireChains);
  });

  it("of a chain of this form is not flown by a process of an earlier version, which would crash it elsewhere", async () => {
    const { chain_id: chainId } = await game.flights.prepare();
    const flying = db.pool.query(
      `INSERT INTO saranggola_rounds (id, number, chain_id, chain_index, seed_hash, crash_at, phase,
         starts_at) VALUES ('rnd_before', 1000000, $1, 15000, '', 100, 'crashed', now())`,
      [chainId],
    );
    await expect(flying).rejects.toThrow("saranggola_rounds_form");
  });

  it("prepared by two processes at once is one flight", async () => {
    const results = await Promise.allSettled([game.flights.prepare(), other.flights.prepare()]);
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    const { rows } = await db.pool.query(
      "SELECT count(*)::int AS waiting FROM saranggola_rounds WHERE phase = 'waiting'",
    );
    expect(rows).toEqual([{ waiting: 1 }]);
  });

  it("that waited when chance was renewed is voided, and the next one is of another chain", async () => {
    const flight = await game.flights.prepare();
    const session = await player(10_000n);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 1000 WHERE id = $1", [flight.id]);
    taken(await game.bet(merchant, session, bet(flight, 1_000n, 120)));
    // A restored one is found long after its take-off time, and has never flown.
    clock.advance(600_000);
    await withTransaction(db.pool, retireChains);
    const next = await other.flights.prepare();
    expect(next.chain_id).not.toBe(flight.chain_id);
    await game.flights.settleEnded();
    expect((await game.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("that another process prepared since this one looked is not followed by a second", async () => {
    const flight = await game.flights.prepare();
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
    const out = taken(await game.bet(merchant, cashed, first));
    const rode = taken(await game.bet(merchant, riding, bet(flight, 2_000n)));
    const aimed = taken(await game.bet(merchant, auto, bet(flight, 3_000n, 250)));
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    clock.advance(elapsedAtMs(150));
    taken(await game.cashOut(cashed, first.id));

    await other.flights.voidInterrupted(stillKept);
    await other.flights.voidInterrupted(stillKept);
    expect(await available(cashed)).toBe(10_500n);
    expect(await available(riding)).toBe(10_000n);
    expect(await available(auto)).toBe(10_000n);
    expect((await game.betsOf(riding))[0]?.state).toBe("voided");
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    // Every screen was told at once, of each refund once, before any other flight waits.
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
    expect(codeOf(await game.cashOut(riding, (await game.betsOf(riding))[0]?.id ?? ""))).toBe(
      "round_over",
    );
  });

  it("voided while a bet on it was being booked gives that back, at the next take-over at the latest", async () => {
    const { flight, session } = await flyingWith(300, 1_000n, null);
    // As a process leaves it that dies before it looks again.
    await db.pool.query("UPDATE saranggola_rounds SET phase = 'voided' WHERE id = $1", [flight.id]);
    await other.flights.settleEnded();
    expect(await available(session)).toBe(10_000n);
    expect((await game.betsOf(session))[0]?.state).toBe("voided");
  });

  it("that only waited waits again in the next process, with its bets", async () => {
    const flight = await prepared(300);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n, 200);
    await game.bet(merchant, session, given);
    clock.advance(60_000);
    await other.flights.voidInterrupted(stillKept);
    const again = await other.flights.prepare();
    expect(again.id).toBe(flight.id);
    expect(again.starts_at.getTime()).toBe(clock.now() + WAITING_MS);
    expect((await game.betsOf(session))[0]?.state).toBe("placed");
    await flown(again);
    expect(await available(session)).toBe(11_000n);
  });

  it("whose process died between crash and pay-out is settled to the end by the next", async () => {
    const flight = await prepared(200);
    const [reached, lost] = [await player(10_000n), await player(10_000n)];
    await game.bet(merchant, reached, bet(flight, 1_000n, 150));
    await game.bet(merchant, lost, bet(flight, 1_000n));
    await game.flights.takeOff(flight);
    // As a process leaves it that dies before it settles it.
    await game.flights.crash(flight);
    expect((await game.betsOf(reached))[0]?.state).toBe("placed");

    await other.flights.voidInterrupted(stillKept);
    await other.flights.settleEnded();
    await other.flights.settleEnded();
    expect(await available(reached)).toBe(10_500n);
    expect(await available(lost)).toBe(9_000n);
    expect((await game.betsOf(lost))[0]?.state).toBe("lost");
  });

  it("is given up by a keeper that slept while another took it over", async () => {
    const flight = await prepared(300);
    await game.flights.takeOff(flight);
    await other.flights.voidInterrupted(stillKept);
    await expect(game.flights.crash(flight)).rejects.toThrow(/not flying any more/);
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    await expect(game.flights.takeOff(flight)).rejects.toThrow(/not waiting any more/);
  });
});

/** Checks as a holder of the public key would, by other code than that which signs. */
function isSigned(chain: FlightChain): boolean {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: chain.publicKey },
    format: "jwk",
  });
  const text = Buffer.from(commitmentText(chain));
  return verify(null, text, key, Buffer.from(chain.signature, "base64url"));
}
