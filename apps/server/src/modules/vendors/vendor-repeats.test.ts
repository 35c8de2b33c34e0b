import { MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openVendorCaller } from "../../../../../tests/server/vendor-caller.ts";
import { accountOf } from "../ledger/ledger.ts";

const caller = await openVendorCaller("repeats of vendors");
const { harness, answered, bet, code, elsewhere, opened, php, rollback, stored, value } = caller;
const { win } = caller;

afterEach(async () => {
  expect(await harness.ledger.verify()).toEqual([]);
});

describe("the wallet calls of a vendor", () => {
  it("refuse a known id with other content in any field, also in another process", async () => {
    harness.believe({
      every: { ...harness.merchant.settings.vendorRules.every, roundPayoutMaxMinor: 500n },
    });
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const { play: another } = await opened(session);
    const open = { closesRound: false };
    const calls: readonly [call: "bet" | "win" | "rollback", body: object][] = [
      ["bet", { ...bet(play, "b1", 100n), ...open }],
      ["bet", { ...bet(play, "b2", 100n), ...open, roundId: `${play}.b1` }],
      ["bet", { ...bet(play, "b3", 100n), ...open }],
      ["win", { ...win(play, "w1", "b1", 50n), ...open }],
      ["win", { ...win(play, "held", "b1", 600n), ...open }],
      ["rollback", rollback(play, "r3", "b3", 100n)],
      ["rollback", rollback(play, "r9", "b9", 100n)],
    ];
    for (const [call, body] of calls) await value(call, body);
    const after = await stored(session);
    expect(after).toMatchObject({ held: 600n, rounds: [{ state: "open" }, { state: "voided" }] });
    const shared = [
      ...[{ play: another }, { amount: php("99") }, { roundId: `${play}.b3` }],
      ...[{ roundId: "elsewhere" }],
    ];
    const others = {
      bet: [{ closesRound: true }, { gameId: "game-2" }, { gameId: "nonsense" }],
      win: [{ closesRound: true }, { betTransactionId: `${play}.b2` }],
      rollback: ["b1", "b2", "b8"].map((id) => ({ betTransactionId: `${play}.${id}` })),
    };
    for (const [call, body] of calls) {
      for (const change of [...shared, ...others[call]]) {
        const sent = { ...body, ...change };
        if (JSON.stringify(sent) === JSON.stringify(body)) continue;
        const said = `${call} ${JSON.stringify(sent)}`;
        expect(await code("PGE", call, sent), said).toBe("id_reused");
        expect(await elsewhere(call, sent), said).toBe("id_reused");
        expect(await stored(session), said).toEqual(after);
      }
      expect(await value(call, body)).toMatchObject({ repeated: true });
      expect(await elsewhere(call, body)).toBe("repeated");
    }
    expect(await stored(session)).toEqual(after);
    harness.believe({});
  });

  it("keep the id of a rollback that came before its bet, and accept no other transaction under it", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const early = rollback(play, "r1", "b1", 100n);
    await value("rollback", early);
    expect(await code("PGE", "rollback", rollback(play, "r2", "b1", 100n))).toBe("rolled_back");
    expect(await code("PGE", "bet", bet(play, "r1", 100n))).toBe("id_reused");
    expect(await code("PGE", "rollback", rollback(play, "r1", "b2", 100n))).toBe("id_reused");
    expect(await code("PGE", "rollback", rollback(play, "r3", "r3", 100n))).toBe("id_reused");
    // Neither refusal has kept a bet from being taken.
    for (const id of ["b2", "r2", "r3"]) await value("bet", bet(play, id, 100n));
    expect(await value("rollback", early)).toMatchObject({ repeated: true });
    expect(await harness.available(session)).toBe(700n);
  });

  it("leave the ids of a refused call free for a right one, whatever the reason of the refusal", async () => {
    const [mine, theirs, poor] = [
      (await opened(await harness.player(10_000n))).play,
      (await opened(await harness.player(10_000n))).play,
      (await opened(await harness.player(1n))).play,
    ];
    const blocked = await harness.player(10_000n);
    const { play: barred } = await opened(blocked);
    await harness.db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [
      blocked.memberId,
    ]);
    await value("bet", bet(mine, "b", 100n));
    await value("bet", bet(theirs, "other", 100n));
    await value("bet", bet(theirs, "over", 100n));
    await value("win", win(theirs, "won", "over", 100n));
    await value("bet", bet(theirs, "gone", 100n));
    await value("rollback", rollback(theirs, "undone", "gone", 100n));
    const id = (i: number) => ({ transactionId: `${mine}.refused-${i}` });
    const inRound = (name: string) => ({ roundId: `${theirs}.${name}` });
    const refused: readonly [code: string, call: string, body: object][] = [
      ["insufficient_funds", "bet", bet(poor, "x", 2n)],
      ["member_blocked", "bet", bet(barred, "x", 2n)],
      ["game_not_launched", "bet", { ...bet(theirs, "x", 2n), gameId: "game-2" }],
      ["round_over", "bet", { ...bet(theirs, "x", 2n), ...inRound("over") }],
      ["bet_missing", "win", win(theirs, "x", "none", 2n)],
      ["bet_differs", "win", { ...win(theirs, "x", "other", 2n), ...inRound("over") }],
      ["rolled_back", "win", win(theirs, "x", "gone", 2n)],
      ["round_over", "win", win(theirs, "x", "over", 2n)],
      ["id_reused", "win", { ...win(theirs, "x", "b", 2n), betTransactionId: `${mine}.b` }],
      ["id_reused", "rollback", { ...win(theirs, "x", "b", 100n), betTransactionId: `${mine}.b` }],
      ["id_reused", "rollback", rollback(theirs, "x", "other", 99n)],
      ["bet_differs", "rollback", { ...rollback(theirs, "x", "other", 100n), ...inRound("b") }],
      ["rolled_back", "rollback", rollback(theirs, "x", "gone", 100n)],
      ["win_stands", "rollback", rollback(theirs, "x", "over", 100n)],
    ];
    for (const [i, [why, call, body]] of refused.entries()) {
      expect(await code("PGE", call, { ...body, ...id(i) }), `${call} ${why}`).toBe(why);
      const rightly = { ...win(mine, "w", "b", 1n), ...id(i), closesRound: false };
      expect(await value("win", rightly)).toMatchObject({ repeated: false });
    }
    // Nor is the bet that a refused call named taken from its player.
    await value("bet", { ...bet(mine, "x", 1n), transactionId: `${theirs}.none` });
  });

  it("answer a repeat from before contents were stored, and leave its player the id", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const [first, next] = [bet(play, "b1", 100n), bet(play, "b2", 100n)];
    await value("bet", first);
    await harness.db.pool.query(
      `INSERT INTO vendor_transactions (vendor, id, account_id, at)
       SELECT vendor, $2, account_id, at FROM vendor_transactions WHERE id = $1`,
      [first.transactionId, next.transactionId],
    );
    await harness.db.pool.query("UPDATE vendor_transactions SET content = NULL WHERE id = $1", [
      first.transactionId,
    ]);
    expect(await value("bet", first)).toMatchObject({ repeated: true });
    expect(await value("bet", next)).toMatchObject({ repeated: false });
    expect(await code("PGE", "bet", { ...next, closesRound: true })).toBe("id_reused");
    expect(await harness.available(session)).toBe(800n);
  });

  it("do one of two calls that reach two processes at once under one id", async () => {
    const [one, two] = [
      (await opened(await harness.player(10_000n))).play,
      (await opened(await harness.player(10_000n))).play,
    ];
    for (let i = 0; i < 10; i++) {
      const ofOne = { ...bet(one, `b${i}`, 100n), closesRound: false };
      const { transactionId } = ofOne;
      const ofTwo = { ...bet(two, `b${i}`, 100n), transactionId, closesRound: false };
      const early = { ...rollback(two, `r${i}`, "none", 100n), betTransactionId: transactionId };
      const rival = i % 2 === 0 ? elsewhere("bet", ofTwo) : elsewhere("rollback", early);
      const answers = await Promise.all([code("PGE", "bet", ofOne), rival]);
      expect(answers.toSorted()).toEqual(["id_reused", "ok"]);

      const mine = { ...bet(one, `c${i}`, 100n), closesRound: false };
      const closing = { ...mine, closesRound: i % 2 === 0 };
      const [here, there] = await Promise.all([answered("bet", mine), elsewhere("bet", closing)]);
      const said = i % 2 === 0 ? "id_reused" : "repeated";
      expect([here, there].toSorted()).toEqual(["ok", said].toSorted());
    }
  });

  it('answer "send again" while the row of the brand is at fault, and write nothing until then', async () => {
    const session = await harness.player(1_000n);
    const token = harness.tokenOf(await harness.launch(session));
    const { play } = (await harness.call("PGE", "plays", { token })).json.value;
    const bet = {
      ...{ play, roundId: "fault", transactionId: "fault.b", gameId: "game-1" },
      amount: { minor: "400", currency: "PHP" },
    };
    const zone = async (name: string) => {
      await harness.db.pool.query("UPDATE merchants SET zone = $1", [name]);
      // For so long a brand may be cached.
      harness.clock.advance(MINUTE_MS);
    };
    await zone("Nowhere/Land");
    for (let times = 0; times < 2; times++) {
      const { status, json } = await harness.call("PGE", "bet", bet);
      expect([status, json.code]).toEqual([503, "busy"]);
    }
    expect(await harness.available(session)).toBe(1_000n);
    await zone("Asia/Manila");
    const { status, json } = await harness.call("PGE", "bet", bet);
    expect([status, json.value.repeated]).toEqual([200, false]);
    expect(await harness.available(session)).toBe(600n);
  });

  it('answer "send again", and do not refuse, while something is being booked that may be the very bet', async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const { lane, id } = accountOf(session.memberId, session.currency);
    const taken = vi.spyOn(harness.ledger, "debit");
    const holder = await harness.db.pool.connect();
    await holder.query("BEGIN");
    const lock = "SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE";
    await holder.query(lock, [lane, id]);
    const first = answered("bet", bet(play, "b1", 400n));
    await vi.waitFor(() => expect(taken).toHaveBeenCalled(), 20_000);
    // The player logs out once the bet has passed that gate.
    await harness.db.pool.query("UPDATE sessions SET ended_at = now() WHERE id = $1", [session.id]);
    expect(await code("PGE", "bet", bet(play, "b1", 400n))).toBe("busy");
    await holder.query("ROLLBACK");
    holder.release();
    taken.mockRestore();
    expect(await first).toBe("ok");
    expect(await answered("bet", bet(play, "b1", 400n))).toBe("repeated");
    expect(await code("PGE", "bet", bet(play, "b2", 400n))).toBe("session_ended");
    expect(await harness.available(session)).toBe(600n);
  });
});
