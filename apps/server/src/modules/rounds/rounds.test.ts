import { setTimeout as sleep } from "node:timers/promises";
import { refusal } from "@perya/contract/refusal";
import type { Clock } from "@perya/kernel/instant";
import { afterAll, describe, expect, it } from "vitest";
import { availableOf, makeMember } from "../../../../../tests/server/fixtures.ts";
import { openHouse } from "../../../../../tests/server/house.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { type BigWin, type PlayRequest, Rounds } from "./rounds.ts";

const world = await openHouse("rounds");
const { clock, db, deps, entropy, ledger, merchant, other, player, rounds, walletOf } = world;
const { house, colourRound, parolRound, freshRoundId, play, countRounds } = world;

afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a round of the house", () => {
  it("takes the stake, pays the win and is stored in the record", async () => {
    const session = await player(100_000n);
    const { round, available } = await play(rounds, session, colourRound());
    expect(round).toMatchObject({ stake_minor: 600n, server_seed: null });
    expect(available).toBe(100_000n - 600n + round.payout_minor);
    expect(await availableOf(ledger, walletOf(session))).toBe(available);
    expect(await rounds.find(session, round.round_id)).toMatchObject({
      outcome: round.outcome,
      payout_minor: round.payout_minor,
      settled_at: round.settled_at,
    });
    expect((await rounds.last(session, "color-game"))?.round_id).toBe(round.round_id);
  });

  it("sent twice is one round, and money moves once, also through another process", async () => {
    const session = await player(100_000n);
    const request = colourRound();
    const first = await play(rounds, session, request);
    for (const process of [rounds, other]) {
      const again = await play(process, session, request);
      expect(again.round.outcome).toEqual(first.round.outcome);
      expect(again.round.nonce).toBe(first.round.nonce);
      expect(again.available).toBe(first.available);
    }
    expect(await countRounds(session)).toBe(1);
  });

  it("has the same first answer as every later one, however the clock moves on", async () => {
    const session = await player(100_000n);
    const ticking: Clock = {
      now: () => {
        clock.advance(1);
        return clock.now();
      },
    };
    const house = new Rounds({
      ...{ pool: db.pool, clock: ticking, entropy },
      wallet: new VendorWallet(db.pool, ledger, ticking),
      playRefusal: async () => null,
      sure: async () => undefined,
      isTaken: async () => false,
    });
    for (const request of [colourRound(), parolRound()]) {
      const first = await play(house, session, request);
      expect(await play(house, session, request)).toEqual(first);
      expect(await house.find(session, request.roundId)).toEqual(first.round);
    }
  });

  it("sent many times at once is one round, and money moves once", async () => {
    const session = await player(100_000n);
    for (const request of [colourRound(), parolRound()]) {
      const before = await availableOf(ledger, walletOf(session));
      const sent = Array.from({ length: 24 }, (_, i) =>
        play(i % 2 ? rounds : other, session, request),
      );
      const played = await Promise.all(sent);
      const [first] = played;
      for (const { round } of played) {
        expect(round.outcome).toEqual(first?.round.outcome);
        expect(round.payout_minor).toBe(first?.round.payout_minor);
      }
      const { payout_minor: payout = 0n, stake_minor: stake = 0n } = first?.round ?? {};
      expect(await availableOf(ledger, walletOf(session))).toBe(before - stake + payout);
    }
    expect(await countRounds(session)).toBe(2);
  });

  it("of a crowd's big wins is announced to its brand once per second, the latest, after commit", async () => {
    const house = new Rounds({
      ...{ pool: db.pool, wallet: new VendorWallet(db.pool, ledger, clock), clock, entropy },
      ...{ playRefusal: async () => null, sure: async () => undefined, isTaken: async () => false },
    });
    const told: BigWin[] = [];
    house.onWin((win) => told.push(win));
    const session = await player(10_000_000n);
    const big: bigint[] = [];
    const startedAt = performance.now();
    while (big.length < 30) {
      const sent = Array.from({ length: 24 }, () => play(house, session, parolRound()));
      for (const { round } of await Promise.all(sent)) {
        if (round.payout_minor >= 5n * round.stake_minor) big.push(round.payout_minor);
      }
    }
    await sleep(1_000);
    expect(told.length).toBeGreaterThan(0);
    // A timer may be a little early.
    expect(told.length).toBeLessThanOrEqual((performance.now() - startedAt) / 990);
    for (const { payoutMinor } of told) expect(big).toContain(payoutMinor);
  });

  it("with a known id is refused with other choices or as another game", async () => {
    const session = await player(100_000n);
    const request = colourRound();
    await play(rounds, session, request);
    const before = await availableOf(ledger, walletOf(session));
    const others: PlayRequest[] = [
      { ...request, choices: { bets: { red: "200" } } },
      // The same stake on other colours: money alone cannot tell them apart.
      { ...request, choices: { bets: { red: "600" } } },
      { ...request, gameId: "parol-fortune", choices: { stakeMinor: "2000" } },
    ];
    for (const reused of others) {
      for (const process of [rounds, other]) {
        expect(await process.play(merchant, session, reused)).toMatchObject(refused("id_reused"));
      }
    }
    expect(await availableOf(ledger, walletOf(session))).toBe(before);
    expect(await countRounds(session)).toBe(1);
  });

  it("never has a flight's id, or both would be one row of the player's record", async () => {
    const session = await player(10_000n);
    const request = colourRound();
    await db.pool.query(
      `INSERT INTO saranggola_chains (id, last_seed, salt, length, next_index, created_at)
       VALUES ('chain_1', '', '', 1, 1, now());
       INSERT INTO saranggola_rounds (id, number, chain_id, chain_index, seed_hash, crash_at, phase,
         starts_at) VALUES ('${request.roundId}', 1, 'chain_1', 0, '', 100, 'crashed', now())`,
    );
    for (const process of [rounds, other]) {
      expect(await process.play(merchant, session, request)).toMatchObject(refused("id_reused"));
    }
    expect(await availableOf(ledger, walletOf(session))).toBe(10_000n);
    expect(await countRounds(session)).toBe(0);
    expect((await play(rounds, session, colourRound())).round.nonce).toBe(0n);
  });

  it("of another player under the same id is their own", async () => {
    const [one, two] = [await player(10_000n), await player(10_000n)];
    const request = colourRound();
    await play(rounds, one, request);
    await play(rounds, two, request);
    expect(await countRounds(one)).toBe(1);
    expect(await countRounds(two)).toBe(1);
    expect(await rounds.find(one, request.roundId)).toMatchObject({ member_id: one.memberId });
  });

  it("is refused completely if the wallet is short, the player blocked or the choices bad", async () => {
    const poor = await player(500n);
    expect(await rounds.play(merchant, poor, colourRound())).toMatchObject(
      refused("insufficient_funds"),
    );
    const blocked = { ...(await player(100_000n)), blocked: true };
    expect(await rounds.play(merchant, blocked, colourRound())).toMatchObject(
      refused("member_blocked"),
    );
    const bad = { ...colourRound(), choices: { bets: { red: "-100" } } };
    expect(await rounds.play(merchant, poor, bad)).toMatchObject({
      ok: false,
      error: { code: "invalid_input", fields: [{ field: "choices.bets.red" }] },
    });
    expect(await countRounds(poor)).toBe(0);
    expect(await countRounds(blocked)).toBe(0);
    expect(await availableOf(ledger, walletOf(poor))).toBe(500n);
  });

  it("is not dealt at a game that is closed to the player, but one that was dealt is answered again", async () => {
    const session = await player(100_000n);
    const dealt = colourRound();
    const first = await play(rounds, session, dealt);
    for (const code of ["not_found", "maintenance", "real_account_needed"] as const) {
      world.now.refusal = refusal(code);
      try {
        for (const request of [colourRound(), parolRound()]) {
          expect(await rounds.play(merchant, session, request)).toMatchObject(refused(code));
        }
        const again = await play(other, session, dealt);
        expect(again.round.outcome).toEqual(first.round.outcome);
        const reused = { ...dealt, choices: { bets: { red: "600" } } };
        expect(await rounds.play(merchant, session, reused)).toMatchObject(refused("id_reused"));
      } finally {
        world.now.refusal = null;
      }
    }
    expect(await availableOf(ledger, walletOf(session))).toBe(first.available);
    expect(await countRounds(session)).toBe(1);
  });

  it("stays within the brand's largest stake and largest pay-out", async () => {
    const { settings } = merchant;
    const session = await player(1_000_000_000n);
    const stake = (minor: bigint) => ({ ...colourRound(), choices: { bets: { red: `${minor}` } } });
    const most = settings.stakes.maxMinor;
    expect((await rounds.play(merchant, session, stake(most))).ok).toBe(true);
    const over = (limit: bigint) => ({
      error: { fields: [{ field: "choices", code: "too_big", limit: `${limit}`, unit: "PHP" }] },
    });
    expect(await rounds.play(merchant, session, stake(most + 100n))).toMatchObject(over(most));
    const careful = (maxPayoutMinor: bigint) => ({
      ...merchant,
      settings: { ...settings, stakes: { maxMinor: most, maxPayoutMinor } },
    });
    // Three dice of its colour pay a bet four times.
    expect(await rounds.play(careful(1_999n), session, stake(500n))).toMatchObject(over(400n));
    expect((await rounds.play(careful(1_999n), session, stake(400n))).ok).toBe(true);
    expect(await rounds.play(careful(399n), session, stake(100n))).toMatchObject(over(0n));
  });

  it("that was dealt is answered again if the brand's limits have come down since", async () => {
    const session = await player(100_000n);
    const request = colourRound();
    const first = await play(rounds, session, request);
    const { settings } = merchant;
    for (const stakes of [
      { maxMinor: 1n, maxPayoutMinor: settings.stakes.maxPayoutMinor },
      { maxMinor: settings.stakes.maxMinor, maxPayoutMinor: 1n },
    ]) {
      const careful = { ...merchant, settings: { ...settings, stakes } };
      const again = await other.play(careful, session, request);
      expect(again).toMatchObject({ ok: true, value: { round: { nonce: first.round.nonce } } });
    }
    expect(await countRounds(session)).toBe(1);
  });

  it("keeps free play and real money apart: neither wallet nor record is shared", async () => {
    const real = await player(10_000n);
    const trial = await makeMember(deps(), merchant, { type: 4, balance: 10_000n });
    expect(trial.currency).toBe("FUN");
    const { round } = await play(rounds, trial, colourRound());
    expect(await rounds.find(real, round.round_id)).toBeNull();
    expect(await availableOf(ledger, walletOf(real))).toBe(10_000n);
    expect(await countRounds(trial)).toBe(1);
  });
});

describe("an interrupted round", () => {
  it("whose answer was lost is the same round if it is sent again, and moved money once", async () => {
    const session = await player(10_000n);
    const request = colourRound();
    await expect(play(dying("after"), session, request)).rejects.toThrow("the process died");
    const dealt = await rounds.find(session, request.roundId);
    const left = 9_400n + (dealt?.payout_minor ?? 0n);
    expect(await availableOf(ledger, walletOf(session))).toBe(left);

    const { round, available } = await play(other, session, request);
    expect(round).toEqual(dealt);
    expect(available).toBe(left);
  });

  it("whose bet was never sent moved nothing, and is dealt if it is sent again", async () => {
    const session = await player(10_000n);
    const request = colourRound();
    await expect(play(dying("before"), session, request)).rejects.toThrow("the process died");
    expect(await rounds.find(session, request.roundId)).toBeNull();
    expect(await availableOf(ledger, walletOf(session))).toBe(10_000n);

    const { round, available } = await play(other, session, request);
    expect(available).toBe(9_400n + round.payout_minor);
  });

  it("that lost does not become a win if it is sent until a draw wins", async () => {
    const session = await player(100_000n);
    const request = { ...colourRound(), choices: { bets: { red: "100" } } };
    let lost = await play(rounds, session, request);
    while (lost.round.payout_minor > 0n) {
      lost = await play(rounds, session, { ...request, roundId: freshRoundId() });
    }
    const again = { ...request, roundId: lost.round.round_id };
    // A colour wins two throws in five, so one of these draws would have won.
    for (let i = 0; i < 40; i++) {
      expect((await play(i % 2 ? rounds : other, session, again)).available).toBe(lost.available);
    }
  });

  /** A house whose process ends before the bet is sent, or after it was taken. */
  function dying(when: "before" | "after"): Rounds {
    class DyingWallet extends VendorWallet {
      override async betAndWin(
        ...call: Parameters<VendorWallet["betAndWin"]>
      ): ReturnType<VendorWallet["betAndWin"]> {
        if (when === "after") await super.betAndWin(...call);
        throw new Error("the process died");
      }
    }
    return house(new DyingWallet(db.pool, ledger, clock), entropy);
  }
});

function refused(code: string) {
  return { ok: false, error: { code } };
}
