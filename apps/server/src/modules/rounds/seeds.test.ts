import { setTimeout as sleep } from "node:timers/promises";
import { verifySoloRound } from "@perya/games/verify-round";
import { afterAll, describe, expect, it } from "vitest";
import { makeMember } from "../../../../../tests/server/fixtures.ts";
import { openHouse } from "../../../../../tests/server/house.ts";
import { Unavailable } from "../../platform/unavailable.ts";
import type { Session } from "../identity/identity.ts";
import { lockWallet } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { type PlayRequest, Rounds, retireSeeds } from "./rounds.ts";

const world = await openHouse("seeds of rounds");
const { clock, db, deps, entropy, ledger, merchant, other, player, rounds, walletOf } = world;
const { replaced, colourRound, parolRound, play } = world;

afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
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

function refused(code: string) {
  return { ok: false, error: { code } };
}
