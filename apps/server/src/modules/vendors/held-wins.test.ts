import { DAY_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { overtakenAt } from "../../../../../tests/server/overtaken.ts";
import { openVendorHarness } from "../../../../../tests/server/vendor-harness.ts";
import { systemEntropy } from "../../platform/entropy.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import { type Act, Operators } from "../operators/operators.ts";
import { GameReturns } from "./game-returns.ts";
import { HeldWins } from "./held-wins.ts";
import { readWins } from "./vendors.store.ts";

const harness = await openVendorHarness("held wins");
const wins = new HeldWins(harness.db.pool, harness.ledger, harness.clock);
const ana = await employ("Ana");
const ben = await employ("Ben");

afterEach(async () => {
  harness.believe({});
  harness.alarms.length = 0;
  harness.clock.advance(DAY_MS);
  expect(await harness.ledger.verify()).toEqual([]);
});

const BOUNDS = {
  every: {
    rollbackAfterWin: "refuse" as const,
    roundPayoutMaxMinor: 100_000n,
    roundPayoutMaxStakes: 50,
    dayPayoutMaxMinor: 150_000n,
    returnAlarm: { minBets: 4, aboveBasisPoints: 15_000 },
  },
  releaseFourEyesAboveMinor: 200_000n,
};

describe("a vendor's win beyond its bounds", () => {
  it("is answered and held: on record, not spendable, with one alarm", async () => {
    harness.believe(BOUNDS);
    const { session, play, won } = await wonRound(10_000n, 100_001n);
    expect(won).toEqual({ balance: php("0"), repeated: false });
    expect(harness.alarms).toEqual(["a vendor's win is held for an operator"]);
    expect(await walletOf(session)).toMatchObject({ balance: 100_001n, held: 100_001n });
    const [waiting] = await waitingOf(session);
    expect(waiting).toMatchObject({
      ...{ vendor: "PGE", game_id: "game-1", stake_minor: 10_000n, amount_minor: 100_001n },
      ...{ reasons: ["round_amount"], state: "held" },
    });
    expect((await value("balance", { play })).balance).toEqual(php("0"));
    expect(await code("bet", bet(play, "next", 1n))).toBe("insufficient_funds");
    expect(await again(play, 100_001n)).toEqual({ balance: php("0"), repeated: true });
    expect(harness.alarms).toHaveLength(1);
    const shown = await readWins(harness.db.pool, harness.merchant.id, 50, []);
    expect(shown.filter((one) => one.payout_minor === 100_001n)).toEqual([]);
  });

  it("is listed among the latest wins once it is paid, and by no brand that has its type off", async () => {
    const { session } = await wonRound(1_000n, 50_000n);
    const told = async (typesOff: string[]) => {
      const latest = await readWins(harness.db.pool, harness.merchant.id, 50, typesOff);
      return latest.some(({ username }) => username === session.username);
    };
    expect(await told(["COCKFIGHT"])).toBe(true);
    expect(await told(["COCKFIGHT", "RNG"])).toBe(false);
  });

  it("is judged by its amount, by how often it is the stake, and by the vendor's day", async () => {
    harness.believe(BOUNDS);
    const cases: readonly [stake: bigint, payout: bigint, reasons: string[]][] = [
      [2_000n, 100_000n, []],
      [1_000n, 50_000n, []],
      // The day has paid its 1,500.00.
      [1_000n, 1n, ["vendor_day"]],
      [1_000n, 50_001n, ["round_multiple"]],
      [1_000n, 999_999_999_999_999n, ["round_amount", "round_multiple"]],
    ];
    for (const [stake, payout, reasons] of cases) {
      const { session } = await wonRound(stake, payout);
      const waiting = await waitingOf(session);
      expect(waiting.flatMap((one) => one.reasons)).toEqual(reasons);
      const held = reasons.length === 0 ? 0n : payout;
      expect(await walletOf(session)).toMatchObject({ balance: payout, held });
    }
    // Another day begins anew.
    harness.clock.advance(DAY_MS);
    const { session } = await wonRound(1_000n, 1n);
    expect(await waitingOf(session)).toEqual([]);
  });

  it("in small parts of one round, all at once, is paid up to the bound and held above it", async () => {
    harness.believe(BOUNDS);
    const session = await harness.player(1_000n);
    const play = await opened(session);
    await value("bet", bet(play, "b", 1_000n));
    const parts = Array.from({ length: 100 }, (_, i) =>
      value("win", { ...win(play, `w${i}`, "b", 1_000n), closesRound: false }),
    );
    await Promise.all(parts);
    expect(await walletOf(session)).toMatchObject({ balance: 100_000n, held: 50_000n });
    expect(await waitingOf(session)).toHaveLength(50);
  });

  it("of many players at once is paid up to the vendor's day and held above it", async () => {
    harness.believe(BOUNDS);
    const players = await Promise.all(Array.from({ length: 20 }, () => wonRound(1_000n, 10_000n)));
    const held = await Promise.all(players.map(({ session }) => waitingOf(session)));
    expect(held.filter((one) => one.length === 0)).toHaveLength(15);
  });

  it("sent many times at once is held once, also if the bounds change meanwhile", async () => {
    harness.believe(BOUNDS);
    const session = await harness.player(1_000n);
    const play = await opened(session);
    await value("bet", bet(play, "b", 1_000n));
    const sent = Array.from({ length: 20 }, () => value("win", win(play, "w", "b", 60_000n)));
    const answers = await Promise.all(sent);
    expect(answers.filter((one) => !one.repeated)).toHaveLength(1);
    harness.believe({});
    expect(await value("win", win(play, "w", "b", 60_000n))).toEqual({
      balance: php("0"),
      repeated: true,
    });
    expect(await waitingOf(session)).toHaveLength(1);
  });

  it("in play money is never held", async () => {
    harness.believe(BOUNDS);
    const session = await harness.player(1_000n, { type: 4 });
    const play = await opened(session);
    const fun = (minor: string) => ({ amount: { minor, currency: "FUN" } });
    await value("bet", { ...bet(play, "b", 1_000n), ...fun("1000") });
    await value("win", { ...win(play, "w", "b", 1n), ...fun("900000000") });
    expect(await walletOf(session)).toMatchObject({ balance: 900_000_000n, held: 0n });
  });
});

describe("an operator", () => {
  it("lets a held win go: the player has it, once, and the record names who did it", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    const decided = await Promise.all([
      wins.release(harness.brand(), ana, id),
      wins.release(harness.brand(), ben, id),
      wins.refuse(harness.brand(), ben, id, "two at once"),
    ]);
    expect(decided.map(codeOf).sort()).toEqual(["ok", "wrong_state", "wrong_state"]);
    const state = (await harness.db.pool.query("SELECT state FROM held_wins WHERE id = $1", [id]))
      .rows[0]?.state;
    const kept = state === "released" ? 60_000n : 0n;
    expect(await walletOf(session)).toMatchObject({ balance: kept, held: 0n });
    expect(await actionsOn(id)).toHaveLength(1);
  });

  it("gets the same answer to a release that is sent again", async () => {
    harness.believe(BOUNDS);
    const { session, play } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    for (let i = 0; i < 2; i++) {
      expect(taken(await wins.release(harness.brand(), ana, id)).state).toBe("released");
    }
    expect(await walletOf(session)).toMatchObject({ balance: 60_000n, held: 0n });
    expect((await value("balance", { play })).balance).toEqual(php("60000"));
    expect(await actionsOn(id)).toEqual(["win.release"]);
    expect(codeOf(await wins.refuse(harness.brand(), ben, id, "too late"))).toBe("wrong_state");
  });

  it("takes a held win back: nothing of it is left, and the round has not paid it", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    expect(taken(await wins.refuse(harness.brand(), ana, id, "no such win")).state).toBe("refused");
    expect(await walletOf(session)).toMatchObject({ balance: 0n, held: 0n });
    const { rows } = await harness.db.pool.query(
      "SELECT payout_minor FROM vendor_rounds WHERE account_id LIKE $1",
      [`${session.memberId}%`],
    );
    expect(rows).toEqual([{ payout_minor: 0n }]);
    expect(await actionsOn(id)).toEqual(["win.refuse"]);
  });

  it("lets a large win go only together with another operator's word", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 200_001n);
    const { id } = await firstOf(session);
    expect(codeOf(await wins.confirm(harness.brand(), ben, id))).toBe("wrong_state");
    expect(taken(await wins.release(harness.brand(), ana, id)).state).toBe("marked");
    expect(await walletOf(session)).toMatchObject({ held: 200_001n });
    expect(codeOf(await wins.confirm(harness.brand(), ana, id))).toBe("second_person_needed");
    expect(codeOf(await wins.release(harness.brand(), ben, id))).toBe("wrong_state");
    for (let i = 0; i < 2; i++) {
      expect(taken(await wins.confirm(harness.brand(), ben, id)).state).toBe("released");
    }
    expect(await walletOf(session)).toMatchObject({ balance: 200_001n, held: 0n });
    // The first operator is still known, and their repeated word is answered as before.
    expect(taken(await wins.release(harness.brand(), ana, id)).state).toBe("released");
    expect(await actionsOn(id)).toEqual(["win.release", "win.confirm"]);
  });

  it("learns that somebody else let a win go between their look and their word", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    const late = await overtakenAt(
      harness.db.pool,
      {
        lock: "SELECT FROM operators WHERE id = $1 FOR NO KEY UPDATE",
        id: ben.operator.id,
      },
      () => wins.release(harness.brand(), ben, id),
      async () => taken(await wins.release(harness.brand(), ana, id)),
    );
    expect(codeOf(late)).toBe("wrong_state");
    expect(await walletOf(session)).toMatchObject({ balance: 60_000n, held: 0n });
    expect(await actionsOn(id)).toEqual(["win.release"]);
  });

  it("lets go alone for one player what the brand allows per day, also in small parts at once", async () => {
    harness.believe(BOUNDS);
    const session = await harness.player(5_000n);
    const play = await opened(session);
    for (let i = 0; i < 5; i++) {
      await value("bet", bet(play, `b${i}`, 1_000n));
      await value("win", win(play, `w${i}`, `b${i}`, 60_000n));
    }
    const ids = (await waitingOf(session)).map(({ id }) => id);
    const released = async () =>
      (await Promise.all(ids.map((id) => wins.release(harness.brand(), ana, id))))
        .map((answer) => taken(answer).state)
        .sort();
    for (let times = 0; times < 2; times++) {
      expect(await released()).toEqual(["marked", "marked", "released", "released", "released"]);
    }
    expect(await walletOf(session)).toMatchObject({ balance: 300_000n, held: 120_000n });
    for (const { id } of await waitingOf(session)) {
      expect(codeOf(await wins.confirm(harness.brand(), ana, id))).toBe("second_person_needed");
      expect(taken(await wins.confirm(harness.brand(), ben, id)).state).toBe("released");
    }
    // Another player's, and this one's on another day, need one word again.
    const { id } = await firstOf((await wonRound(1_000n, 60_000n)).session);
    expect(taken(await wins.release(harness.brand(), ana, id)).state).toBe("released");
  });

  it("who was revoked no longer counts as the first of two: the next word on a large win is the first one", async () => {
    harness.believe(BOUNDS);
    for (const word of ["release", "confirm"] as const) {
      const cara = await employ(`Cara ${word}`);
      const { session } = await wonRound(1_000n, 200_001n);
      const { id } = await firstOf(session);
      expect(taken(await wins.release(harness.brand(), cara, id)).state).toBe("marked");
      await revoke(cara);
      for (let i = 0; i < 2; i++) {
        const said = await wins[word](harness.brand(), ben, id);
        if (i === 0 || word === "release") expect(taken(said).state).toBe("marked");
        else expect(codeOf(said)).toBe("second_person_needed");
      }
      expect(await walletOf(session)).toMatchObject({ held: 200_001n });
      expect((await firstOf(session)).marker).toBe("Ben");
      expect(taken(await wins.confirm(harness.brand(), ana, id)).state).toBe("released");
      expect(await walletOf(session)).toMatchObject({ balance: 200_001n, held: 0n });
      expect(await actionsOn(id)).toEqual(["win.release", `win.${word}`, "win.confirm"]);
    }
  });

  it("who is added again lets go alone what they had said earlier, once they may", async () => {
    harness.believe({ ...BOUNDS, releaseFourEyesAboveMinor: 100_000n });
    let dina = await employ("Dina");
    const session = await harness.player(5_000n);
    const play = await opened(session);
    const said = [];
    for (let i = 0; i < 2; i++) {
      await value("bet", bet(play, `b${i}`, 1_000n));
      await value("win", win(play, `w${i}`, `b${i}`, 60_000n));
      const { id } = await firstOf(session);
      said.push({ id, state: taken(await wins.release(harness.brand(), dina, id)).state });
    }
    const [alone, marked] = said;
    expect([alone?.state, marked?.state]).toEqual(["released", "marked"]);
    await revoke(dina);
    harness.clock.advance(DAY_MS);
    dina = await employ("Dina");
    for (let i = 0; i < 2; i++) {
      expect(taken(await wins.release(harness.brand(), dina, `${marked?.id}`)).state).toBe(
        "released",
      );
    }
    expect(await walletOf(session)).toMatchObject({ held: 0n });
    expect(await actionsOn(`${marked?.id}`)).toEqual(["win.release", "win.release"]);
  });

  it("decides no win by a mark that is somebody else's meanwhile", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 200_001n);
    const { id } = await firstOf(session);
    expect(taken(await wins.release(harness.brand(), ana, id)).state).toBe("marked");
    const { lane } = accountOf(session.memberId, session.currency);
    const decided = await overtakenAt(
      harness.db.pool,
      { lock: `SELECT FROM held_wins WHERE lane = ${lane} AND id = $1 FOR UPDATE`, id },
      () => wins.refuse(harness.brand(), ben, id, "not so"),
      (client) =>
        client.query("UPDATE held_wins SET marked_by = $2 WHERE id = $1", [id, ben.operator.id]),
    );
    expect(codeOf(decided)).toBe("wrong_state");
  });

  it("who was revoked while their call was under way changes nothing by it", async () => {
    harness.believe(BOUNDS);
    const cara = await employ("Cara Late");
    const { session } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    const { id: large } = await firstOf((await wonRound(1_000n, 200_001n)).session);
    // As calls do that were authorised before.
    await revoke(cara);
    expect(codeOf(await wins.release(harness.brand(), cara, id))).toBe("not_logged_in");
    expect(codeOf(await wins.refuse(harness.brand(), cara, id, "not so"))).toBe("not_logged_in");
    expect(codeOf(await wins.release(harness.brand(), cara, large))).toBe("not_logged_in");
    expect(taken(await wins.release(harness.brand(), ana, large)).state).toBe("marked");
    expect(codeOf(await wins.confirm(harness.brand(), cara, large))).toBe("not_logged_in");
    expect(await walletOf(session)).toMatchObject({ balance: 60_000n, held: 60_000n });
    expect(await actionsOn(id)).toEqual([]);
    expect(await actionsOn(large)).toEqual(["win.release"]);
    expect(taken(await wins.release(harness.brand(), ben, id)).state).toBe("released");
  });

  it("of another brand finds no win", async () => {
    harness.believe(BOUNDS);
    const { session } = await wonRound(1_000n, 60_000n);
    const { id } = await firstOf(session);
    const other = { ...harness.brand(), id: "mer_other" };
    expect(codeOf(await wins.release(other, ana, id))).toBe("not_found");
    expect(codeOf(await wins.refuse(other, ana, id, "not mine"))).toBe("not_found");
    expect(codeOf(await wins.confirm(other, ana, id))).toBe("not_found");
    expect(await wins.waiting(other, { after: null, limit: 50 })).toEqual([]);
  });

  it("decides before its vendor rolls the bet back, whatever the vendor's rule", async () => {
    for (const rollbackAfterWin of ["refuse", "take_back"] as const) {
      harness.believe({ ...BOUNDS, every: { ...BOUNDS.every, rollbackAfterWin } });
      const { session, play } = await wonRound(1_000n, 60_000n);
      const undo = win(play, "undo", "b", 1_000n);
      expect(await code("rollback", undo)).toBe("win_stands");
      const { id } = await firstOf(session);
      taken(await wins.refuse(harness.brand(), ana, id, "no such win"));
      expect(await code("rollback", undo)).toBe("ok");
      expect(await walletOf(session)).toMatchObject({ balance: 1_000n, held: 0n });
    }
  });
});

describe("the return of a game", () => {
  it("is counted with every bet and win, and raises an alarm beyond its bound", async () => {
    const returns = new GameReturns(harness.db.pool, harness.clock, async () => [harness.brand()]);
    // Nothing of the earlier tests.
    harness.clock.advance(3 * DAY_MS);
    harness.believe({ ...BOUNDS, every: { ...BOUNDS.every, dayPayoutMaxMinor: 1_000_000n } });
    for (let i = 0; i < 3; i++) await wonRound(10_000n, 16_000n);
    // Three bets are luck.
    expect(await returns.beyond()).toEqual([]);
    const { play } = await wonRound(10_000n, 16_000n);
    const code = harness.merchant.code;
    expect(await returns.beyond()).toEqual([
      expect.objectContaining({ brand: code, vendor: "PGE", game_id: "game-1", bets: 4n }),
    ]);
    expect((await returns.beyond())[0]?.basis_points).toBe(16_000n);
    // A refunded stake counts as neither staked nor paid.
    await value("bet", bet(play, "b9", 16_000n));
    expect(await returns.beyond()).toEqual([]);
    await value("rollback", win(play, "r9", "b9", 16_000n));
    expect((await returns.beyond())[0]?.basis_points).toBe(16_000n);
  });

  it("raises an alarm at its vendor's own bound, however many games of few bets gave back more", async () => {
    const returns = new GameReturns(harness.db.pool, harness.clock, async () => [harness.brand()]);
    harness.clock.advance(3 * DAY_MS);
    const returnAlarm = { minBets: 20, aboveBasisPoints: 17_000 };
    harness.believe({ ...BOUNDS, byCode: { TCG_SEA: { returnAlarm } } });
    const count = (vendor: string, game: string, bets: number, paid: number) =>
      harness.db.pool.query(
        `INSERT INTO game_days (merchant_id, day, vendor, game_id, currency, lane, bets,
           staked_minor, paid_minor)
         VALUES ($1, (to_timestamp($2 / 1000.0) AT TIME ZONE 'UTC')::date, $3, $4, 'PHP', 0, $5,
           1000000, $6)`,
        [harness.merchant.id, harness.clock.now(), vendor, game, bets, paid],
      );
    for (let n = 0; n < 100; n++) await count("PGE", `lucky-${n}`, 3, 9_000_000);
    await count("PGE", "broken", 50_000, 1_800_000);
    await count("PGE", "even", 50_000, 1_500_000);
    await count("TCG_SEA", "seldom", 19, 9_000_000);
    await count("TCG_SEA", "within", 50_000, 1_700_000);
    await count("TCG_SEA", "beyond", 20, 1_700_001);
    const alarms = await returns.beyond();
    expect(alarms.map(({ game_id }) => game_id)).toEqual(["broken", "beyond"]);
  });
});

async function employ(name: string): Promise<Act> {
  const operators = new Operators(harness.db.pool, harness.clock, systemEntropy);
  const given = { name, permissions: ["wins", "wins.confirm"], days: 90 };
  const { operator } = taken(await operators.add(harness.merchant.id, given));
  return { operator, requestId: "req", address: "127.0.0.1" };
}

async function revoke({ operator }: Act): Promise<void> {
  const operators = new Operators(harness.db.pool, harness.clock, systemEntropy);
  expect(await operators.revoke(harness.merchant.id, operator.id)).toBe(true);
}

/** A player who staked all that they had and was answered that they won so much. */
async function wonRound(stake: bigint, payout: bigint) {
  const session = await harness.player(stake);
  const play = await opened(session);
  await value("bet", bet(play, "b", stake));
  const won = await value("win", win(play, "w", "b", payout));
  return { session, play, won };
}

function again(play: string, payout: bigint) {
  return value("win", win(play, "w", "b", payout));
}

async function opened(session: Session): Promise<string> {
  const token = harness.tokenOf(await harness.launch(session));
  return (await value("plays", { token })).play;
}

async function waitingOf({ memberId }: Session) {
  const all = [];
  let after: { at: number; id: string } | null = null;
  for (;;) {
    const page = await wins.waiting(harness.merchant, { after, limit: 40 });
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined) return all.filter((one) => one.member_id === memberId);
    after = { at: last.held_at.getTime(), id: last.id };
  }
}

async function firstOf(session: Session) {
  const [first] = await waitingOf(session);
  if (first === undefined) throw new Error("no win waits");
  return first;
}

function walletOf(session: Session) {
  return harness.ledger.balance(accountOf(session.memberId, session.currency));
}

async function actionsOn(id: string): Promise<string[]> {
  const { rows } = await harness.db.pool.query(
    "SELECT action FROM operator_actions WHERE subject = $1 ORDER BY id",
    [id],
  );
  return rows.map((row) => row.action);
}

async function value(call: string, body: object) {
  const { status, json } = await harness.call("PGE", call, body);
  expect(status, JSON.stringify(json)).toBe(200);
  return json.value;
}

async function code(call: string, body: object): Promise<string> {
  const { json } = await harness.call("PGE", call, body);
  return json.code ?? "ok";
}

function php(minor: string) {
  return { minor, currency: "PHP" };
}

function bet(play: string, id: string, minor: bigint) {
  const transactionId = `${play}.${id}`;
  return {
    ...{ play, roundId: transactionId, transactionId, gameId: "game-1" },
    amount: php(`${minor}`),
  };
}

function win(play: string, id: string, betId: string, minor: bigint) {
  const betTransactionId = `${play}.${betId}`;
  const transactionId = `${play}.${id}`;
  return {
    ...{ play, roundId: betTransactionId, transactionId, betTransactionId },
    amount: php(`${minor}`),
  };
}
