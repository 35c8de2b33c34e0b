import { setTimeout as sleep } from "node:timers/promises";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { verifySoloRound } from "@perya/games/verify-round";
import { mintId } from "@perya/kernel/ids";
import type { Clock, Entropy } from "@perya/kernel/instant";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  availableOf,
  freshSeed,
  makeBrand,
  makeLedger,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { Unavailable } from "../../platform/unavailable.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type Ledger, lockWallet } from "../ledger/ledger.ts";
import { isFlight } from "../saranggola/saranggola.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { type BigWin, type PlayRequest, Rounds, retireSeeds } from "./rounds.ts";

const clock = manualClock();
const entropy = seededEntropy(freshSeed("rounds"));
let db: TestDatabase;
let ledger: Ledger;
let otherLedger: Ledger;
let rounds: Rounds;
/** The same house in another process. */
let other: Rounds;
let merchant: Merchant;
/** The catalogue's answer for every game; null: open. */
let closed: Refusal | null = null;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db);
  otherLedger = makeLedger(db);
  rounds = house(new VendorWallet(db.pool, ledger, clock), entropy);
  other = house(new VendorWallet(db.pool, otherLedger, clock), seededEntropy("other"));
  merchant = await makeBrand(db.pool, clock);
});

afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await ledger.close();
  await otherLedger.close();
  await db.drop();
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
      closed = refusal(code);
      try {
        for (const request of [colourRound(), parolRound()]) {
          expect(await rounds.play(merchant, session, request)).toMatchObject(refused(code));
        }
        const again = await play(other, session, dealt);
        expect(again.round.outcome).toEqual(first.round.outcome);
        const reused = { ...dealt, choices: { bets: { red: "600" } } };
        expect(await rounds.play(merchant, session, reused)).toMatchObject(refused("id_reused"));
      } finally {
        closed = null;
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

describe("the seeds and nonces of a player", () => {
  it("deal each round of a player its own nonce, from two processes at once", async () => {
    const session = await player(1_000_000n);
    const sent = Array.from({ length: 80 }, (_, i) =>
      play(i % 2 ? rounds : other, session, colourRound()),
    );
    const nonces = (await Promise.all(sent)).map(({ round }) => round.nonce);
    expect(new Set(nonces).size).toBe(80);
  });

  it("count the rounds of one player in their order", async () => {
    const session = await player(100_000n);
    for (let nonce = 0n; nonce < 5n; nonce++) {
      const { round } = await play(rounds, session, parolRound());
      expect(round.nonce).toBe(nonce);
    }
    expect((await rounds.seed(session)).current.next_nonce).toBe(5n);
  });

  it("count only dealt rounds, whatever is refused, repeated or sent at once between them", async () => {
    const session = await player(1_000_000n);
    const { current } = await rounds.seed(session);
    const blocked = { ...session, blocked: true };
    const sent: PlayRequest[] = [];
    for (let n = 0; n < 12; n++) {
      const request = n % 2 ? parolRound() : colourRound();
      const [one, two] = n % 3 ? [rounds, other] : [other, rounds];
      const repeated = sent[n % 5] ?? request;
      const tooDear = { ...colourRound(), choices: { bets: { red: "100000000" } } };
      const answers = await Promise.all([
        one.play(merchant, blocked, colourRound()),
        one.play(merchant, session, request),
        two.play(merchant, session, request),
        two.play(merchant, session, repeated),
        one.play(merchant, session, { ...request, choices: { bets: { red: "900" } } }),
        two.play(merchant, session, tooDear),
      ]);
      expect(answers.map((answer) => answer.ok)).toEqual([false, true, true, true, false, false]);
      sent.push(request);
    }
    const found = await Promise.all(sent.map(({ roundId }) => rounds.find(session, roundId)));
    expect(found.map((round) => round?.nonce)).toEqual(sent.map((_, n) => BigInt(n)));
    const { revealed } = await replaced(session, "after", current.id);
    expect(revealed).toMatchObject({ next_nonce: 12n, rounds: 12 });
  });

  it("of a pair with gaps from an earlier version count the rounds that it dealt", async () => {
    const session = await player(100_000n);
    const { round } = await play(rounds, session, colourRound());
    await db.pool.query("UPDATE house_rounds SET nonce = 7 WHERE round_id = $1", [round.round_id]);
    expect((await play(rounds, session, colourRound())).round.nonce).toBe(8n);
    const { revealed } = await replaced(session, "after", round.seed_id);
    expect(revealed).toMatchObject({ next_nonce: 9n, rounds: 2 });
  });

  it("of the house are fixed by a hash that is shown before the player's seed is known", async () => {
    const session = await player(100_000n);
    let shown = await rounds.seed(session);
    expect(shown.current.chosen_by).toBe("house");
    for (const clientSeed of ["first", "second", "third"]) {
      const process = clientSeed === "second" ? other : rounds;
      expect(await other.seed(session)).toEqual(shown);
      const given = { clientSeed, replaces: shown.current.id, next: shown.next.id };
      const done = await process.replaceSeed(session, given);
      if (!done.ok) throw new Error(`refused: ${done.error.code}`);
      const { id, seed_hash } = shown.next;
      expect(done.value.current).toMatchObject({ id, seed_hash, chosen_by: "player" });
      const { round } = await play(rounds, session, colourRound());
      expect(round).toMatchObject({ seed_id: id, seed_hash, client_seed: clientSeed });
      expect(done.value.next.id).not.toBe(id);
      const { current, next } = await rounds.seed(session);
      expect(next).toEqual(done.value.next);
      shown = { current, next };
    }
  });

  it("cannot be replaced by a next seed other than the one shown", async () => {
    const session = await player(1_000n);
    const shown = await rounds.seed(session);
    const others = (await rounds.seed(await player(1_000n))).next.id;
    for (const next of [others, shown.current.id]) {
      const given = { clientSeed: "mine", replaces: shown.current.id, next };
      expect(await rounds.replaceSeed(session, given)).toMatchObject(refused("wrong_state"));
    }
    expect(await other.seed(session)).toEqual(shown);
    // A page of an earlier version names none, and gets what was shown to others.
    const given = { clientSeed: "mine", replaces: shown.current.id, next: null };
    expect(await rounds.replaceSeed(session, given)).toMatchObject({
      value: { current: { id: shown.next.id } },
    });
  });

  it("cannot be replaced with the client seed in use, with which the next server seed was fixed", async () => {
    const session = await player(1_000n);
    const { current: first } = await rounds.seed(session);
    const { current } = await replaced(session, "mine", first.id);
    const shown = await rounds.seed(session);
    const given = { clientSeed: "mine", replaces: current.id, next: shown.next.id };
    const taken = { code: "invalid_input", fields: [{ field: "clientSeed", code: "taken" }] };
    expect(await rounds.replaceSeed(session, given)).toEqual({ ok: false, error: taken });
    expect(await rounds.seed(session)).toEqual(shown);
    // The same request sent twice does not choose the same seed again.
    const twice = { ...given, replaces: first.id, next: null };
    expect(await rounds.replaceSeed(session, twice)).toMatchObject(refused("wrong_state"));
  });

  it("that were to come next never do once chance is renewed", async () => {
    const session = await player(1_000n);
    const shown = await rounds.seed(session);
    await retireSeeds(db.pool);
    const now = await rounds.seed(session);
    expect(now.next.id).not.toBe(shown.next.id);
    expect(now.next.server_seed).not.toBe(shown.next.server_seed);
    const given = { clientSeed: "mine", replaces: now.current.id, next: shown.next.id };
    expect(await rounds.replaceSeed(session, given)).toMatchObject(refused("wrong_state"));
  });

  it("that were to come next are put into no pair if chance is renewed meanwhile", async () => {
    const session = await player(1_000n);
    const shown = await rounds.seed(session);
    const unsure = new Rounds({
      ...{ pool: db.pool, wallet: new VendorWallet(db.pool, ledger, clock), clock, entropy },
      ...{
        playRefusal: async () => null,
        sure: () => retireSeeds(db.pool),
        isTaken: async () => false,
      },
    });
    const given = { clientSeed: "mine", replaces: shown.current.id, next: null };
    expect(await unsure.replaceSeed(session, given)).toMatchObject(refused("wrong_state"));
    expect((await rounds.seed(session)).current.id).not.toBe(shown.next.id);
  });

  it("show the hash before and, once replaced, verify every round that they dealt", async () => {
    const session = await player(1_000_000n);
    const { current: shown } = await rounds.seed(session);
    const played = [];
    for (let i = 0; i < 12; i++) {
      const request = i % 2 ? parolRound() : colourRound();
      played.push((await play(i % 3 ? rounds : other, session, request)).round);
    }
    const { revealed, current } = await replaced(session, "my-lucky-seed", shown.id);
    expect(revealed).toMatchObject({ id: shown.id, seed_hash: shown.seed_hash, next_nonce: 12n });
    expect(current).toMatchObject({ client_seed: "my-lucky-seed", next_nonce: 0n });
    expect(current.seed_hash).not.toBe(shown.seed_hash);
    for (const { round_id } of played) {
      const round = await rounds.find(session, round_id);
      const verdict = verifySoloRound({
        gameId: round?.game_id ?? "",
        seedHash: shown.seed_hash,
        serverSeed: round?.server_seed ?? "",
        clientSeed: round?.client_seed ?? "",
        nonce: Number(round?.nonce),
        choices: round?.choices,
        outcome: round?.outcome,
        payoutMinor: `${round?.payout_minor}`,
      });
      expect(verdict.verdict).toBe("confirmed");
    }
    const { round } = await play(rounds, session, colourRound());
    expect(round).toMatchObject({ client_seed: "my-lucky-seed", nonce: 0n, server_seed: null });
  });

  it("replaced many times at once are replaced once, and the other requests are refused", async () => {
    const session = await player(1_000n);
    const { current: before } = await rounds.seed(session);
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        const given = { clientSeed: `seed-${i}`, replaces: before.id, next: null };
        return (i % 2 ? rounds : other).replaceSeed(session, given);
      }),
    );
    const done = sent.filter((one) => one.ok);
    expect(done).toHaveLength(1);
    const now = await rounds.seed(session);
    expect(done[0]?.value).toMatchObject({ revealed: { id: before.id }, ...now });
    for (const one of sent) if (!one.ok) expect(one).toMatchObject(refused("wrong_state"));
  });

  it("deal nothing more once they were revealed, not even a round that waits to be booked", async () => {
    const session = await player(100_000n);
    const { current: before } = await rounds.seed(session);
    const { lane } = walletOf(session);
    let neighbour = await player(1_000n);
    while (walletOf(neighbour).lane % 2 !== lane % 2) neighbour = await player(1_000n);
    const holder = await db.pool.connect();
    await holder.query("BEGIN");
    await lockWallet(holder, walletOf(neighbour));
    const held = play(rounds, neighbour, colourRound());
    await sleep(50);
    // Dealt, and waiting for the held wallet.
    const waiting = play(rounds, session, colourRound());
    await sleep(50);
    const { revealed, current } = await replaced(session, "curious", before.id);
    await holder.query("ROLLBACK");
    holder.release();
    await held;
    const { round } = await waiting;
    expect([revealed.next_nonce, round.seed_id, round.nonce]).toEqual([0n, current.id, 0n]);
  });

  it("are others for everybody once chance is renewed, and the old ones are revealed", async () => {
    const session = await player(100_000n);
    const { round } = await play(rounds, session, colourRound());
    await retireSeeds(db.pool);
    expect((await rounds.find(session, round.round_id))?.server_seed).not.toBeNull();
    const next = await play(other, session, colourRound());
    expect(next.round.seed_id).not.toBe(round.seed_id);
    expect(next.round.nonce).toBe(0n);
  });

  it("are made once more if a renewal reveals them before they are read, and the player must ask later if it happens again", async () => {
    const [once, always] = [await player(100_000n), await player(100_000n)];
    await db.pool.query(
      `CREATE FUNCTION reveal_soon() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         UPDATE fairness_seeds SET revealed_at = created_at WHERE id = NEW.id
           AND (member_id = '${always.memberId}' OR (member_id = '${once.memberId}' AND NOT EXISTS (
             SELECT FROM fairness_seeds earlier WHERE earlier.member_id = NEW.member_id AND earlier.id <> NEW.id)));
         RETURN NULL;
       END $$;
       CREATE TRIGGER reveal_soon AFTER INSERT ON fairness_seeds
         FOR EACH ROW EXECUTE FUNCTION reveal_soon();`,
    );
    try {
      expect((await play(rounds, once, colourRound())).round.nonce).toBe(0n);
      await expect(rounds.seed(always)).rejects.toThrow(Unavailable);
    } finally {
      await db.pool.query("DROP TRIGGER reveal_soon ON fairness_seeds");
    }
  });

  it("that are replaced again and again while a round is dealt make the player ask later, with nothing staked", async () => {
    const session = await player(1_000n);
    await db.pool.query(
      `CREATE FUNCTION deal_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         RETURN CASE WHEN NEW.account_id = '${walletOf(session).id}' THEN NULL ELSE NEW END;
       END $$;
       CREATE TRIGGER deal_nothing BEFORE INSERT ON house_rounds
         FOR EACH ROW EXECUTE FUNCTION deal_nothing();`,
    );
    try {
      await expect(play(rounds, session, colourRound())).rejects.toThrow(Unavailable);
    } finally {
      await db.pool.query("DROP TRIGGER deal_nothing ON house_rounds");
    }
    expect(await ledger.balance(walletOf(session))).toMatchObject({ balance: 1_000n });
  });

  it("of another player cannot be revealed", async () => {
    const [one, two] = [await player(1_000n), await player(1_000n)];
    const theirs = await rounds.seed(two);
    const given = { clientSeed: "curious", replaces: theirs.current.id, next: null };
    expect(await rounds.replaceSeed(one, given)).toMatchObject(refused("wrong_state"));
    expect(await rounds.seed(two)).toEqual(theirs);
  });
});

describe("the pairs of a free-play account", () => {
  it("keep it from being deleted only if they dealt a round", async () => {
    const [looked, played] = await Promise.all(
      [1, 2].map(() => makeMember(deps(), merchant, { type: 4, balance: 10_000n })),
    );
    if (looked === undefined || played === undefined) throw new Error("two were made");
    for (const session of [looked, played]) {
      const { current } = await rounds.seed(session);
      await replaced(session, "mine", current.id);
    }
    const { round } = await play(rounds, played, colourRound());
    const drop = ({ memberId, currency }: Session) => rounds.dropUnusedPairs(memberId, currency);
    for (const session of [looked, played]) await drop(session);
    const removed = ({ memberId }: Session) =>
      db.pool.query("DELETE FROM members WHERE id = $1", [memberId]);
    await db.pool.query("DELETE FROM sessions WHERE member_id = $1", [looked.memberId]);
    expect((await removed(looked)).rowCount).toBe(1);
    await expect(removed(played)).rejects.toThrow(/foreign key/);
    expect(await rounds.find(played, round.round_id)).toMatchObject({ client_seed: "mine" });
    expect((await rounds.seed(played)).current.id).toBe(round.seed_id);
  });
});

async function replaced(session: Session, clientSeed: string, replaces: string) {
  const done = await rounds.replaceSeed(session, { clientSeed, replaces, next: null });
  if (!done.ok) throw new Error(`refused: ${done.error.code}`);
  return done.value;
}

function deps() {
  return { pool: db.pool, ledger, clock };
}

function house(wallet: VendorWallet, chance: Entropy): Rounds {
  const playRefusal = async () => closed;
  return new Rounds({
    pool: db.pool,
    wallet,
    clock,
    entropy: chance,
    playRefusal,
    sure: async () => undefined,
    isTaken: (roundId) => isFlight(db.pool, roundId),
  });
}

function player(balance: bigint): Promise<Session> {
  return makeMember(deps(), merchant, { balance });
}

function walletOf(session: Session) {
  return accountOf(session.memberId, session.currency);
}

/** A bet on all six colours: some die shows one of them, so every such round wins something. */
function colourRound(): PlayRequest {
  const colours = ["yellow", "white", "pink", "blue", "red", "green"];
  const bets = Object.fromEntries(colours.map((colour) => [colour, "100"]));
  return { roundId: freshRoundId(), gameId: "color-game", choices: { bets } };
}

function parolRound(): PlayRequest {
  return {
    roundId: freshRoundId(),
    gameId: "parol-fortune",
    choices: { stakeMinor: "2000" },
  };
}

function freshRoundId(): string {
  return mintId("round", clock.now(), entropy.bytes(16));
}

async function play(house: Rounds, session: Session, request: PlayRequest) {
  const played = await house.play(merchant, session, request);
  if (!played.ok) throw new Error(`refused: ${JSON.stringify(played.error)}`);
  return played.value;
}

async function countRounds(session: Session): Promise<number> {
  const account = walletOf(session);
  const { rows } = await db.pool.query<{ dealt: number; recorded: number }>(
    `SELECT (SELECT count(*)::int FROM house_rounds WHERE lane = $1 AND account_id = $2) AS dealt,
            (SELECT count(*)::int FROM vendor_rounds WHERE lane = $1 AND account_id = $2) AS recorded`,
    [account.lane, account.id],
  );
  expect(rows[0]?.dealt).toBe(rows[0]?.recorded);
  return rows[0]?.dealt ?? -1;
}

function refused(code: string) {
  return { ok: false, error: { code } };
}
