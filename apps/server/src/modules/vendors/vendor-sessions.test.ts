import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { money } from "@perya/kernel/money";
import { afterEach, describe, expect, it } from "vitest";
import { openVendorCaller } from "../../../../../tests/server/vendor-caller.ts";
import type { Session } from "../identity/identity.ts";

const caller = await openVendorCaller("vendor plays");
const { harness, answered, bet, code, elsewhere, opened, php, rollback, setVendor } = caller;
const { stored, value, win } = caller;

afterEach(async () => {
  expect(await harness.ledger.verify()).toEqual([]);
});

describe("a launch token", () => {
  it("opens one play, once, for its vendor only, within two minutes", async () => {
    const session = await harness.player(1_000n);
    const token = harness.tokenOf(await harness.launch(session));
    expect(await code("AV", "plays", { token })).toBe("not_found");
    const opened = await harness.call("PGE", "plays", { token });
    expect(opened.json.value).toMatchObject({ gameId: "game-1", currency: "PHP", language: "EN" });
    expect(await code("PGE", "plays", { token })).toBe("link_spent");
    expect(await code("PGE", "plays", { token: "x".repeat(43) })).toBe("not_found");

    const late = harness.tokenOf(await harness.launch(session));
    harness.clock.advance(2 * MINUTE_MS);
    expect(await code("PGE", "plays", { token: late })).toBe("link_spent");
  });

  it("says nothing of the player and is not stored", async () => {
    const session = await harness.player(1_000n);
    const url = await harness.launch(session);
    expect(url).toMatch(/^\/sandbox\/vendor\/PGE\/play\?token=[\w-]{43}&game=game-1$/);
    const { rows } = await harness.db.pool.query(
      "SELECT p::text AS row FROM vendor_plays p WHERE member_id = $1",
      [session.memberId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].row).not.toContain(harness.tokenOf(url));
  });
});

describe("a signature", () => {
  it("is required in every call, from this vendor, over this path and lately", async () => {
    const { play } = await opened(await harness.player(1_000n));
    const bodies = {
      plays: { token: "x".repeat(43) },
      balance: { play },
      bet: bet(play, "1", 100n),
      win: { ...bet(play, "1", 100n), gameId: undefined, betTransactionId: "1" },
      rollback: { ...bet(play, "1", 100n), gameId: undefined, betTransactionId: "1" },
    };
    const now = harness.clock.now();
    for (const [call, body] of Object.entries(bodies)) {
      const other = call === "bet" ? "win" : "bet";
      for (const signing of [
        { vendor: "AV", call, at: now },
        { vendor: "PGE", call: other, at: now },
        { vendor: "PGE", call, at: now - 6 * MINUTE_MS },
        { vendor: "PGE", call, at: now + 6 * MINUTE_MS },
      ]) {
        const { json } = await harness.call("PGE", call, body, signing);
        expect(json.code, `${call} ${JSON.stringify(signing)}`).toBe("bad_signature");
      }
      expect(await code("NOBODY", call, body)).toBe("not_found");
    }
    expect((await harness.call("PGE", "balance", { play })).json.value.balance.minor).toBe("1000");
  });
});

describe("the wallet calls of a vendor", () => {
  it("take, pay and give back, each transaction once, and the record has the round", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const calls: readonly [call: string, body: object, balance: string][] = [
      ["bet", bet(play, "b1", 300n), "700"],
      ["win", win(play, "w1", "b1", 450n), "1150"],
      ["bet", bet(play, "b2", 150n), "1000"],
      ["rollback", rollback(play, "r2", "b2", 150n), "1150"],
    ];
    const { balance: before } = await value("balance", { play });
    expect(before).toEqual({ minor: "1000", currency: "PHP" });
    for (const [call, body, balance] of calls) {
      expect(await value(call, body)).toEqual({ balance: php(balance), repeated: false });
    }
    for (const [call, body, balance] of calls) {
      expect(await value(call, body)).toEqual({ balance: php(balance), repeated: true });
    }
    expect(await harness.available(session)).toBe(1_150n);
    const { rows } = await harness.db.pool.query(
      `SELECT round_id, game_id, stake_minor, payout_minor, state FROM vendor_rounds
       WHERE account_id LIKE $1 ORDER BY round_id`,
      [`${session.memberId}%`],
    );
    expect(rows).toEqual([
      {
        round_id: `${play}.b1`,
        game_id: "game-1",
        stake_minor: 300n,
        payout_minor: 450n,
        state: "settled",
      },
      {
        round_id: `${play}.b2`,
        game_id: "game-1",
        stake_minor: 0n,
        payout_minor: 0n,
        state: "voided",
      },
    ]);
  });

  it("take no more free play in a day than the house's own games do, and still take repeats and real stakes", async () => {
    const session = await harness.player(1_000n, { type: 4 });
    const { play } = await opened(session);
    const fun = (id: string) => ({ ...bet(play, id, 1n), amount: { minor: "1", currency: "FUN" } });
    expect(await value("bet", fun("f1"))).toMatchObject({ repeated: false });
    const { memberId, merchantId } = session;
    const began = harness.clock.now();
    for (let i = 0; i < 4_999; i++) {
      await harness.takeFreePlay({ merchantId, memberId, address: "203.0.113.7" });
    }
    const { json } = await harness.call("PGE", "bet", fun("f2"));
    expect(json).toMatchObject({ code: "rate_limited", retryAt: began + DAY_MS });
    expect(await value("bet", fun("f1"))).toMatchObject({ repeated: true });
    const real = await opened(await harness.player(1_000n));
    expect(await value("bet", bet(real.play, "p1", 1n))).toMatchObject({ repeated: false });
    harness.clock.advance(DAY_MS);
  });

  it("refuse what the wallet does not hold, another's currency, a taken id and a bet of nothing", async () => {
    const { play } = await opened(await harness.player(1_000n));
    await value("bet", bet(play, "b1", 300n));
    expect(await code("PGE", "bet", bet(play, "b2", 701n))).toBe("insufficient_funds");
    expect(await code("PGE", "bet", bet(play, "b1", 301n))).toBe("id_reused");
    expect(await code("PGE", "win", win(play, "w2", "b9", 5n))).toBe("bet_missing");
    await value("rollback", rollback(play, "r3", "b3", 100n));
    expect(await code("PGE", "bet", bet(play, "b3", 100n))).toBe("rolled_back");
    const foreign = { ...bet(play, "b4", 1n), amount: { minor: "1", currency: "FUN" } };
    const { json } = await harness.call("PGE", "bet", foreign);
    expect(json.fields).toEqual([
      expect.objectContaining({ field: "amount.currency", code: "foreign_currency" }),
    ]);
  });

  it("are checked here too, since an adapter hands over what its vendor sent", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const move = { play, roundId: "r", transactionId: "t", amount: money(100n, "PHP") };
    const more = { gameId: "game-1", betTransactionId: "b", closesRound: false };
    const faults: readonly [change: object, field: string][] = [
      [{ amount: money(0n, "PHP") }, "amount.minor"],
      [{ amount: money(-1n, "PHP") }, "amount.minor"],
      [{ amount: money(10n ** 15n, "PHP") }, "amount.minor"],
      [{ roundId: "" }, "roundId"],
      [{ transactionId: "x".repeat(101) }, "transactionId"],
      [{ transactionId: "a\u0000" }, "transactionId"],
      [{ roundId: "\ud800" }, "roundId"],
    ];
    for (const [change, field] of faults) {
      const told = { ...move, ...more, ...change };
      const isNothing = told.amount.minor === 0n;
      const answers = [
        await harness.plays.bet("PGE", told),
        await harness.plays.rollback("PGE", told),
        ...(isNothing ? [] : [await harness.plays.win("PGE", told)]),
      ];
      for (const answer of answers) {
        expect(!answer.ok && answer.error.fields, field).toEqual([
          expect.objectContaining({ field, code: "bad_format" }),
        ]);
      }
    }
    const bad = { ...move, ...more, gameId: "" };
    expect(await harness.plays.bet("PGE", bad)).toMatchObject({ ok: false });
    const loose = { ...move, ...more, betTransactionId: " " };
    expect(await harness.plays.rollback("PGE", loose)).toMatchObject({ ok: false });
    expect(await harness.available(session)).toBe(1_000n);
  });

  it("refuse another player's transaction, whichever call names it", async () => {
    const [one, two] = [
      await opened(await harness.player(500n)),
      await opened(await harness.player(500n)),
    ];
    await value("bet", bet(one.play, "mine", 100n));
    await value("rollback", rollback(one.play, "back", "never-sent", 100n));
    const amount = php("100");
    for (const id of ["mine", "never-sent", "back"].map((name) => `${one.play}.${name}`)) {
      const round = { play: two.play, roundId: "a-round", amount };
      const tries: readonly [call: string, body: object][] = [
        ["bet", { ...round, transactionId: id, gameId: "game-1" }],
        ["win", { ...round, transactionId: id, betTransactionId: "another" }],
        ["rollback", { ...round, transactionId: "new", betTransactionId: id }],
      ];
      for (const [call, body] of tries) expect(await code("PGE", call, body)).toBe("id_reused");
    }
    expect((await value("balance", { play: two.play })).balance).toEqual(php("500"));
  });

  it("know a play of their own vendor only, and none that was not opened", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    await harness.launch(session);
    const { rows } = await harness.db.pool.query(
      "SELECT id FROM vendor_plays WHERE member_id = $1 AND opened_at IS NULL",
      [session.memberId],
    );
    for (const [vendor, id] of [
      ["AV", play],
      ["PGE", rows[0].id],
      ["PGE", `ply_${"0".repeat(26)}`],
    ]) {
      expect(await code(vendor, "balance", { play: id })).toBe("not_found");
      expect(await code(vendor, "bet", bet(id, "b1", 1n))).toBe("not_found");
      expect(await code(vendor, "win", win(id, "w1", "b1", 1n))).toBe("not_found");
      expect(await code(vendor, "rollback", rollback(id, "r1", "b1", 1n))).toBe("not_found");
    }
    expect(await harness.available(session)).toBe(1_000n);
  });

  it("take no bet on a game that is another vendor's, is down, or is closed to this account", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    expect(await code("PGE", "bet", { ...bet(play, "b1", 1n), gameId: "game-3" })).toBe(
      "not_found",
    );
    const taken = bet(play, "b2", 100n);
    const first = await value("bet", taken);
    await setVendor("maintenance");
    expect(await code("PGE", "bet", bet(play, "b3", 1n))).toBe("maintenance");
    expect(await value("bet", taken)).toEqual({ ...first, repeated: true });
    expect((await value("win", win(play, "w2", "b2", 50n))).balance).toEqual(php("950"));
    await setVendor("up");

    const trial = await opened(await harness.player(1_000n, { type: 4 }));
    const fun = { minor: "1", currency: "FUN" };
    expect(await value("bet", { ...bet(trial.play, "b1", 1n), amount: fun })).toMatchObject({
      balance: { minor: "999", currency: "FUN" },
    });
    const real = { ...bet(trial.play, "b2", 1n), gameId: "game-2", amount: fun };
    expect(await code("PGE", "bet", real)).toBe("real_account_needed");
  });

  it("take no bet of a player who is blocked, signed out or came long ago, and still pay them", async () => {
    const endings: readonly ((session: Session) => unknown)[] = [
      ({ memberId }) =>
        harness.db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [memberId]),
      ({ id }) => harness.db.pool.query("UPDATE sessions SET ended_at = now() WHERE id = $1", [id]),
      () => harness.clock.advance(12 * HOUR_MS + 1),
    ];
    for (const [i, end] of endings.entries()) {
      const session = await harness.player(1_000n);
      const { play } = await opened(session);
      const [one, two] = [bet(play, "b1", 100n), bet(play, "b2", 100n)];
      await value("bet", one);
      await value("bet", two);
      await end(session);
      const refused = i === 0 ? "member_blocked" : "session_ended";
      expect(await code("PGE", "bet", bet(play, "b3", 1n))).toBe(refused);
      expect(await value("bet", one)).toMatchObject({ repeated: true });
      await value("win", win(play, "w1", "b1", 250n));
      await value("rollback", rollback(play, "r2", "b2", 100n));
      expect(await harness.available(session)).toBe(1_150n);
    }
  });

  it("refuse a win or a rollback that names another round than its bet's, and a win without a bet", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    await value("bet", bet(play, "b1", 100n));
    await value("bet", bet(play, "b2", 100n));
    const elsewhere = { roundId: `${play}.b2` };
    for (const call of ["win", "rollback"]) {
      const strayed = { ...win(play, "x1", "b1", 100n), ...elsewhere };
      expect(await code("PGE", call, strayed)).toBe("bet_differs");
    }
    await value("win", { ...win(play, "w1", "b1", 50n), closesRound: false });
    const ofWin = { ...win(play, "w2", "b1", 50n), betTransactionId: `${play}.w1` };
    expect(await code("PGE", "win", ofWin)).toBe("bet_differs");
    expect(await harness.available(session)).toBe(850n);
  });

  it("refuse a bet into a settled round and a second win on a closed one; repeats are still answered", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const [first, won] = [bet(play, "b1", 100n), win(play, "w1", "b1", 250n)];
    await value("bet", first);
    await value("win", { ...win(play, "w0", "b1", 10n), closesRound: false });
    await value("win", won);
    const more = { ...bet(play, "b2", 100n), roundId: first.roundId };
    expect(await code("PGE", "bet", more)).toBe("round_over");
    expect(await code("PGE", "win", win(play, "w2", "b1", 1n))).toBe("round_over");
    const lost = { ...bet(play, "b3", 100n), closesRound: true };
    await value("bet", lost);
    expect(await code("PGE", "win", win(play, "w3", "b3", 1n))).toBe("round_over");
    for (const [call, body] of [["bet", first] as const, ["win", won] as const]) {
      expect(await value(call, body)).toMatchObject({ repeated: true });
    }
    expect(await harness.available(session)).toBe(1_000n - 100n + 10n + 250n - 100n);
  });

  it("end a lost round later by a win of nothing, once, and move no money by it", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const [first, end] = [bet(play, "b1", 300n), win(play, "e1", "b1", 0n)];
    await value("bet", first);
    await value("bet", { ...bet(play, "b2", 100n), roundId: first.roundId });
    await setVendor("maintenance");
    await harness.db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [
      session.memberId,
    ]);
    expect(await value("win", end)).toEqual({ balance: php("600"), repeated: false });
    await setVendor("up");
    const round = { round_id: first.roundId, game_id: "game-1", state: "settled" };
    const after = await stored(session);
    expect(after.rounds).toEqual([{ ...round, stake_minor: 400n, payout_minor: 0n }]);
    for (const change of [{ amount: php("1") }, { betTransactionId: `${play}.b2` }]) {
      expect(await code("PGE", "win", { ...end, ...change })).toBe("id_reused");
    }
    expect(await value("win", end)).toEqual({ balance: php("600"), repeated: true });
    expect(await elsewhere("win", { ...end, closesRound: true })).toBe("repeated");
    expect(await code("PGE", "bet", bet(play, "e1", 1n))).toBe("id_reused");
    for (const minor of [0n, 5n]) {
      expect(await code("PGE", "win", win(play, `late${minor}`, "b1", minor))).toBe("round_over");
    }
    expect(await stored(session)).toEqual(after);
    const { rows } = await harness.db.pool.query(
      "SELECT sum(amount)::int AS moved, count(*)::int AS made FROM ledger_entries WHERE key LIKE $1",
      [`%${play}.e1`],
    );
    expect(rows).toEqual([{ moved: 0, made: 1 }]);
  });

  it("take a win of nothing only for the end of its round, whatever its bets have won before", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    await value("bet", bet(play, "b1", 100n));
    await value("bet", bet(play, "b2", 100n));
    const { json } = await harness.call("PGE", "win", {
      ...win(play, "e1", "b1", 0n),
      closesRound: false,
    });
    expect(json).toMatchObject({ code: "invalid_input", fields: [{ field: "amount.minor" }] });
    const strayed = { ...win(play, "e1", "b1", 0n), roundId: `${play}.b2` };
    expect(await code("PGE", "win", strayed)).toBe("bet_differs");
    // Also if the brand's bounds for its vendor are now below what the round has paid.
    await value("win", { ...win(play, "w1", "b1", 600n), closesRound: false });
    harness.believe({
      every: { ...harness.merchant.settings.vendorRules.every, roundPayoutMaxMinor: 500n },
    });
    expect(await value("win", win(play, "e1", "b1", 0n))).toMatchObject({ repeated: false });
    expect(await stored(session)).toMatchObject({ held: 0n, rounds: [{ state: "settled" }, {}] });
    harness.believe({});
  });

  it("answer a win of nothing in every order with its bet and its rollback", async () => {
    const orders = {
      "bet end rollback": ["ok", "ok", "ok"],
      "bet rollback end": ["ok", "ok", "rolled_back"],
      "end bet rollback": ["bet_missing", "ok", "ok"],
      "end rollback bet": ["bet_missing", "ok", "rolled_back"],
      "rollback bet end": ["ok", "rolled_back", "bet_missing"],
      "rollback end bet": ["ok", "bet_missing", "rolled_back"],
    };
    for (const [order, wanted] of Object.entries(orders)) {
      const session = await harness.player(1_000n);
      const { play } = await opened(session);
      const send = (what: string) =>
        what === "bet"
          ? answered("bet", bet(play, "b", 100n))
          : what === "end"
            ? answered("win", win(play, "e", "b", 0n))
            : answered("rollback", rollback(play, "r", "b", 100n));
      const codes: string[] = [];
      for (const what of order.split(" ")) codes.push(await send(what));
      expect(codes, order).toEqual(wanted);
      for (const [i, what] of order.split(" ").entries()) {
        if (wanted[i] === "ok") expect(await send(what), `${order}: ${what}`).toBe("repeated");
      }
      expect(await harness.available(session), order).toBe(1_000n);
      const { rounds } = await stored(session);
      expect(
        rounds.filter(({ state }) => state !== "voided"),
        order,
      ).toEqual([]);
    }
  });

  it("end a round by one of ten wins of nothing that come at once, beside bets and rollbacks of it", async () => {
    const session = await harness.player(10_000n);
    const { play } = await opened(session);
    const first = bet(play, "b0", 100n);
    await value("bet", first);
    const ends = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => code("PGE", "win", win(play, `e${i}`, "b0", 0n))),
      ...Array.from({ length: 5 }, (_, i) =>
        code("PGE", "bet", { ...bet(play, `b${i + 1}`, 100n), roundId: first.roundId }),
      ),
    ]);
    expect(ends.slice(0, 10).toSorted()).toEqual(["ok", ...Array(9).fill("round_over")]);
    for (const one of ends.slice(10)) expect(["ok", "round_over"]).toContain(one);
    expect((await stored(session)).rounds).toMatchObject([{ state: "settled" }]);

    await value("bet", bet(play, "c", 100n));
    const [end, undone] = await Promise.all([
      code("PGE", "win", win(play, "ec", "c", 0n)),
      code("PGE", "rollback", rollback(play, "rc", "c", 100n)),
    ]);
    expect(["ok", "rolled_back"]).toContain(end);
    expect(undone).toBe("ok");
  });

  it("refuse bets of one round that reach it beside its last win, or take them before it", async () => {
    const session = await harness.player(10_000n);
    const { play } = await opened(session);
    const first = bet(play, "b0", 100n);
    await value("bet", first);
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) =>
        code("PGE", "bet", { ...bet(play, `b${i + 1}`, 100n), roundId: first.roundId }),
      ),
      code("PGE", "win", win(play, "w0", "b0", 100n)),
      ...Array.from({ length: 10 }, (_, i) =>
        code("PGE", "win", win(play, `w${i + 1}`, "b0", 100n)),
      ),
    ]);
    const wins = answers.slice(10);
    expect(wins.filter((one) => one === "ok")).toHaveLength(1);
    expect(wins.filter((one) => one === "round_over")).toHaveLength(10);
    const taken = answers.slice(0, 10).filter((one) => one === "ok").length;
    expect(answers.slice(0, 10).every((one) => one === "ok" || one === "round_over")).toBe(true);
    expect(await harness.available(session)).toBe(10_000n - 100n * BigInt(taken));
  });

  it("take bets only on the game that was launched, but on all if a page has them all", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    const other = { ...bet(play, "b1", 100n), gameId: "game-2" };
    expect(await code("PGE", "bet", other)).toBe("game_not_launched");
    const lobby = await harness.launch(session, "AV", "game-3");
    const { json } = await harness.call("AV", "plays", { token: harness.tokenOf(lobby) });
    const there = { ...bet(json.value.play, "b1", 100n), gameId: "game-4" };
    expect(await code("AV", "bet", there)).toBe("ok");
    // A round is of one game.
    const mixed = { ...bet(json.value.play, "b2", 100n), roundId: there.roundId };
    expect(await code("AV", "bet", { ...mixed, gameId: "game-3" })).toBe("id_reused");
  });

  it("take bets for twelve hours from the launch, and none after that, however lately the log-in was used", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    // A player who goes on using the house's own pages.
    await harness.db.pool.query(
      "UPDATE sessions SET seen_at = seen_at + interval '12 hours' WHERE id = $1",
      [session.id],
    );
    harness.clock.advance(12 * HOUR_MS);
    expect(await value("bet", bet(play, "b1", 100n))).toMatchObject({ repeated: false });
    harness.clock.advance(1);
    expect(await code("PGE", "bet", bet(play, "b2", 100n))).toBe("session_ended");
  });

  it("take no bet of a log-in that has been idle for as long as ends it for any other call", async () => {
    const session = await harness.player(1_000n);
    const { play } = await opened(session);
    await value("bet", bet(play, "b1", 100n));
    await harness.db.pool.query(
      "UPDATE sessions SET seen_at = to_timestamp($2 / 1000.0) - interval '60 days' WHERE id = $1",
      [session.id, harness.clock.now()],
    );
    expect(await code("PGE", "bet", bet(play, "b2", 100n))).toBe("session_ended");
    expect(await value("win", win(play, "w1", "b1", 200n))).toMatchObject({ repeated: false });
    expect(await harness.available(session)).toBe(1_100n);
  });

  it("give back a bet that has won as the vendor's rule says, and raise an alarm about spent money", async () => {
    const session = await harness.player(300n);
    const { play } = await opened(session);
    await value("bet", bet(play, "b1", 300n));
    await value("win", win(play, "w1", "b1", 900n));
    const undo = rollback(play, "r1", "b1", 300n);
    expect(await code("PGE", "rollback", undo)).toBe("win_stands");
    harness.believe({ byCode: { PGE: { rollbackAfterWin: "take_back" } } });
    await value("bet", bet(play, "b2", 700n));
    expect(await code("PGE", "rollback", undo)).toBe("insufficient_funds");
    expect(harness.alarms).toEqual(["a win that its vendor takes back is spent"]);
    await value("rollback", rollback(play, "r2", "b2", 700n));
    expect((await value("rollback", undo)).balance).toEqual(php("300"));
    expect(await value("rollback", undo)).toEqual({ balance: php("300"), repeated: true });
    harness.believe({});
  });

  it("delete plays after ninety days", async () => {
    const { play } = await opened(await harness.player(1_000n));
    harness.clock.advance(90 * DAY_MS - 1);
    await harness.plays.sweep();
    expect(await code("PGE", "balance", { play })).toBe("ok");
    harness.clock.advance(2);
    await harness.plays.sweep();
    expect(await code("PGE", "balance", { play })).toBe("not_found");
  });
});
