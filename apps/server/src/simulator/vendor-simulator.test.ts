import { present } from "@perya/kernel/assert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Loss, openVendorHarness } from "../../../../tests/server/vendor-harness.ts";
import type { Session } from "../modules/identity/identity.ts";
import { accountOf } from "../modules/ledger/ledger.ts";
import { WHEEL } from "./wheel.ts";

const LOSES = WHEEL.indexOf(0);
const PAYS_FIVE = WHEEL.indexOf(5);
/** Why a bet is refused that would have been taken a moment before. */
const REFUSALS = {
  session_ended: {
    bring: (session: Session) => setLoggedIn(session, false),
    end: (session: Session) => setLoggedIn(session, true),
  },
  member_blocked: {
    bring: (session: Session) => setBlocked(session, true),
    end: (session: Session) => setBlocked(session, false),
  },
  maintenance: { bring: () => setVendors("maintenance"), end: () => setVendors("up") },
  insufficient_funds: {
    bring: (session: Session) => spend(session, 100n),
    end: (session: Session) => spend(session, -100n),
  },
};
let rounds = 0;

const harness = await openVendorHarness("vendor simulator");

beforeEach(() => {
  harness.lose(() => null);
  harness.stopAt(null);
});

/** In the end both books agree and the ledger is sound, even where calls or answers were lost. */
afterEach(async () => {
  harness.lose(() => null);
  await harness.runJobs();
  expect(await harness.ledger.verify()).toEqual([]);
  const { rows } = await harness.db.pool.query(
    "SELECT state, count(*)::int AS rounds FROM simulator_rounds GROUP BY state ORDER BY state",
  );
  expect(rows.map(({ state }) => state).filter((state) => !ENDED.includes(state))).toEqual([]);
  const { rows: open } = await harness.db.pool.query(
    "SELECT round_id FROM vendor_rounds WHERE state = 'open'",
  );
  expect(open).toEqual([]);
});

const ENDED = ["done", "refused", "voided"];

describe("a spin at a simulated vendor", () => {
  it("[G1-03] takes the stake and pays what the slot pays, only through the wallet calls", async () => {
    const session = await harness.player(10_000n);
    const key = await harness.seatOf(session);
    harness.stopAt(LOSES);
    expect(await spin(key, 500n)).toMatchObject({ state: "done", payout: { minor: 0n } });
    expect(await harness.available(session)).toBe(9_500n);
    harness.stopAt(PAYS_FIVE);
    const won = await spin(key, 200n);
    expect(won).toMatchObject({ state: "done", slot: PAYS_FIVE, payout: { minor: 1_000n } });
    expect(await harness.available(session)).toBe(10_300n);
    expect(harness.sent).toEqual(["plays", "bet", "bet", "win"]);
    const seat = present(await harness.simulator.seat(key, null), "the seat");
    expect(seat.balance).toEqual({ minor: 10_300n, currency: "PHP" });
    expect(seat.rounds.map(({ payout }) => payout.minor)).toEqual([1_000n, 0n]);
    expect(await record(session)).toEqual([
      { game_id: "game-1", stake: 200n, payout: 1_000n, state: "settled" },
      { game_id: "game-1", stake: 500n, payout: 0n, state: "settled" },
    ]);
  });

  it("sent many times at once is one round", async () => {
    const session = await harness.player(10_000n);
    const key = await harness.seatOf(session);
    const roundId = freshRound();
    const sent = Array.from({ length: 12 }, () => spin(key, 100n, { roundId }));
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ slot }) => slot)).size).toBe(1);
    expect(await record(session)).toHaveLength(1);
  });

  it("sent again while its bet is under way makes no second bet, and is answered as it is", async () => {
    const session = await harness.player(10_000n);
    const key = await harness.seatOf(session);
    harness.stopAt(PAYS_FIVE);
    const roundId = freshRound();
    harness.lose(async (call) => {
      if (call === "bet") {
        const again = await spin(key, 100n, { roundId });
        expect(again).toMatchObject({ state: "betting", slot: PAYS_FIVE });
      }
      return null;
    });
    expect(await spin(key, 100n, { roundId })).toMatchObject({ state: "done" });
    expect(harness.sent).toEqual(["bet", "win"]);
    expect(await harness.available(session)).toBe(10_400n);
  });

  it("with the id of a round at another table is a round of its own", async () => {
    const session = await harness.player(10_000n);
    const [one, two] = [await harness.seatOf(session), await harness.seatOf(session)];
    const roundId = freshRound();
    harness.stopAt(LOSES);
    await spin(one, 100n, { roundId });
    harness.stopAt(PAYS_FIVE);
    await spin(two, 100n, { roundId });
    expect(await harness.available(session)).toBe(10_000n - 200n + 500n);
    expect(await record(session)).toHaveLength(2);
  });

  it("that the house refuses moves nothing and says why", async () => {
    const poor = await harness.player(150n);
    const key = await harness.seatOf(poor);
    expect(await spin(key, 200n)).toMatchObject({
      state: "refused",
      refusal: "insufficient_funds",
    });
    expect(await harness.available(poor)).toBe(150n);
    const key2 = await harness.seatOf(await harness.player(1_000n, { blocked: true }));
    expect(await spin(key2, 100n)).toMatchObject({ state: "refused", refusal: "member_blocked" });
    await harness.db.pool.query("UPDATE vendors SET status = 'maintenance' WHERE code = 'PGE'");
    harness.catalogue.forget();
    expect(await spin(key, 100n)).toMatchObject({ state: "refused", refusal: "maintenance" });
    await harness.db.pool.query("UPDATE vendors SET status = 'up'");
    harness.catalogue.forget();
  });

  it("needs a seat, a game of its vendor that was launched, and a stake on offer", async () => {
    const session = await harness.player(10_000n);
    const key = await harness.seatOf(session);
    for (const [seat, gameId, stakeMinor] of [
      ["x".repeat(43), "game-1", 100n],
      [key, "game-2", 100n],
      [key, "game-3", 100n],
      [key, "game-1", 101n],
      [key, "game-1", 1_000_000n],
    ] as const) {
      const given = { roundId: freshRound(), gameId, stakeMinor };
      expect(await harness.simulator.spin(seat, given)).toBeNull();
    }
    const lobby = await harness.seatOf(session, "AV", "game-3");
    expect(await spin(lobby, 100n, { gameId: "game-4" })).toMatchObject({ state: "done" });
    expect(await record(session)).toMatchObject([{ game_id: "game-4" }]);
  });

  it("in free play moves only trial credit", async () => {
    const session = await harness.player(1_000n, { type: 4 });
    const key = await harness.seatOf(session);
    harness.stopAt(PAYS_FIVE);
    expect(await spin(key, 100n)).toMatchObject({ payout: { minor: 500n, currency: "FUN" } });
    expect(await harness.available(session)).toBe(1_400n);
  });
});

describe("a spin whose calls are lost", () => {
  it.each(["call", "answer"] as const)(
    "once (the %s) is sent again, and money moves once",
    async (loss) => {
      const session = await harness.player(10_000n);
      const key = await harness.seatOf(session);
      harness.stopAt(PAYS_FIVE);
      harness.lose((_call, nth) => (nth === 1 ? loss : null));
      expect(await spin(key, 100n)).toMatchObject({ state: "done", payout: { minor: 500n } });
      expect(await harness.available(session)).toBe(10_400n);
      expect(harness.sent.filter((call) => call === "bet")).toHaveLength(2);
      expect(harness.sent.filter((call) => call === "win")).toHaveLength(2);
    },
  );

  it.each(["call", "answer"] as const)(
    "until nobody knows whether the bet was taken (the %s) is rolled back",
    async (loss) => {
      const session = await harness.player(10_000n);
      const key = await harness.seatOf(session);
      harness.stopAt(PAYS_FIVE);
      harness.lose(only("bet", loss));
      expect(await spin(key, 100n)).toMatchObject({ state: "voided" });
      expect(await harness.available(session)).toBe(10_000n);
      const voided = { game_id: "game-1", stake: 0n, payout: 0n, state: "voided" };
      expect(await record(session)).toEqual(loss === "answer" ? [voided] : []);
    },
  );

  it.each(Object.entries(REFUSALS))(
    "once, and whose bet is refused then (%s), is rolled back, so that the lost call takes nothing",
    async (_refused, { bring, end }) => {
      const session = await harness.player(150n);
      const key = await harness.seatOf(session);
      harness.stopAt(LOSES);
      harness.lose(async (call, nth) => {
        if (call !== "bet") return null;
        if (nth === 2) await bring(session);
        return nth === 1 ? "late" : null;
      });
      expect(await spin(key, 100n)).toMatchObject({ state: "voided" });
      expect(harness.sent.slice(0, 3)).toEqual(["bet", "bet", "rollback"]);
      // As for a call that had passed that gate before.
      await end(session);
      expect(await harness.arriveLate()).toEqual(["rolled_back"]);
      expect(await harness.available(session)).toBe(150n);
      expect(await record(session)).toEqual([]);
    },
  );

  it("together with the rollback is given back later, by the job", async () => {
    const session = await harness.player(10_000n);
    const key = await harness.seatOf(session);
    harness.lose((call) => (call === "bet" ? "answer" : "call"));
    const roundId = freshRound();
    expect(await spin(key, 100n, { roundId })).toMatchObject({ state: "cancelling" });
    expect(await harness.available(session)).toBe(9_900n);
    await harness.runJobs();
    expect(await harness.available(session)).toBe(9_900n);
    harness.lose(() => null);
    await harness.runJobs();
    expect(await harness.available(session)).toBe(10_000n);
    expect(await spin(key, 100n, { roundId })).toMatchObject({ state: "voided" });
  });

  it.each(["call", "answer"] as const)(
    "after the bet (the win's %s) is paid by the job, once",
    async (loss) => {
      const session = await harness.player(10_000n);
      const key = await harness.seatOf(session);
      harness.stopAt(PAYS_FIVE);
      harness.lose(only("win", loss));
      expect(await spin(key, 100n)).toMatchObject({ state: "paying" });
      harness.lose(() => null);
      await harness.runJobs();
      await harness.runJobs();
      expect(await harness.available(session)).toBe(10_400n);
    },
  );

  it("because its process died is given back, whether or not the bet was taken", async () => {
    for (const taken of [true, false]) {
      const session = await harness.player(10_000n);
      const key = await harness.seatOf(session);
      harness.stopAt(PAYS_FIVE);
      harness.lose((call) => (call === "bet" && taken ? "answer" : "call"));
      const roundId = freshRound();
      await spin(key, 100n, { roundId });
      // Its state if the process ends between the call and its answer.
      await harness.db.pool.query("UPDATE simulator_rounds SET state = 'betting' WHERE id = $1", [
        roundId,
      ]);
      expect(await harness.available(session)).toBe(taken ? 9_900n : 10_000n);
      harness.lose(() => null);
      // A process that did not send the bet does not know its outcome, whatever a repeat is
      // answered.
      await REFUSALS.member_blocked.bring(session);
      expect(await spin(key, 100n, { roundId })).toMatchObject({ state: "betting" });
      await REFUSALS.member_blocked.end(session);
      await harness.runJobs();
      expect(await harness.available(session)).toBe(10_000n);
      expect(await spin(key, 100n, { roundId })).toMatchObject({ state: "voided" });
    }
  });
});

describe("the page of a simulated vendor", () => {
  it("opens once with the launch's token, shows odds and return, and plays by its form", async () => {
    const session = await harness.player(10_000n);
    const url = harness.address() + (await harness.launch(session));
    const first = await fetch(url);
    expect(first.status).toBe(200);
    expect(first.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(first.headers.get("content-security-policy")).not.toContain("unsafe-eval");
    expect(first.headers.get("cache-control")).toBe("no-store");
    const html = await first.text();
    expect(html).toContain("Laro 1");
    expect(html).toContain("95.00%");
    expect(html).not.toContain(harness.tokenOf(url));
    expect((await fetch(url)).status).toBe(410);
    harness.stopAt(PAYS_FIVE);
    const form = hiddenFields(html);
    const played = await post({ ...form, stake: "100" });
    expect(await played.text()).toContain("You won ₱5.00");
    expect((await post({ ...form, stake: "100" })).status).toBe(200);
    expect(await harness.available(session)).toBe(10_400n);
    expect((await post({ ...form, stake: "101" })).status).toBe(400);
    expect((await post({ ...form, round: "x", stake: "100" })).status).toBe(400);
    expect((await post({ ...form, key: "y" })).status).toBe(400);
  });

  it("of a vendor whose games open its page lets the player choose among them", async () => {
    const session = await harness.player(10_000n);
    const html = await (
      await fetch(harness.address() + (await harness.launch(session, "AV", "game-3")))
    ).text();
    expect(html).toContain("Laro 3");
    expect(html).toContain("Laro 4");
    expect(html).not.toContain("Laro 1");
    const { key = "" } = hiddenFields(html);
    const chosen = await (await post({ key, game: "game-4" })).text();
    expect(chosen).toMatch(/<h1>Laro 4<\/h1>/);
    expect(await (await post({ key, lobby: "1" })).text()).toContain("Laro 3");
  });
});

function setBlocked({ memberId }: Session, blocked: boolean) {
  return harness.db.pool.query("UPDATE members SET blocked = $2 WHERE id = $1", [
    memberId,
    blocked,
  ]);
}

function setLoggedIn({ id }: Session, loggedIn: boolean) {
  const ended = loggedIn ? "NULL" : "now()";
  return harness.db.pool.query(`UPDATE sessions SET ended_at = ${ended} WHERE id = $1`, [id]);
}

async function setVendors(status: string): Promise<void> {
  await harness.db.pool.query("UPDATE vendors SET status = $1", [status]);
  harness.catalogue.forget();
}

/** Moves so much of the player's money elsewhere, or back if it is negative. */
async function spend({ memberId, currency }: Session, minor: bigint): Promise<void> {
  const command = {
    ...{
      account: accountOf(memberId, currency),
      key: `elsewhere ${minor}`,
      counterAccount: "house",
    },
    ...{ amount: minor < 0n ? -minor : minor, ref: null, at: harness.clock.now() },
  };
  const moved = await (minor < 0n
    ? harness.ledger.credit({ ...command, kind: "win" })
    : harness.ledger.debit({ ...command, kind: "bet" }));
  expect(moved.ok).toBe(true);
}

async function spin(
  key: string,
  stakeMinor: bigint,
  given: { roundId?: string; gameId?: string } = {},
) {
  const wanted = { roundId: freshRound(), gameId: "game-1", ...given, stakeMinor };
  return present(await harness.simulator.spin(key, wanted), "a round");
}

function freshRound(): string {
  rounds += 1;
  return rounds.toString(16).padStart(32, "0");
}

function only(wanted: string, loss: Loss): (call: string) => Loss {
  return (call) => (call === wanted ? loss : null);
}

async function record(session: Session) {
  const { rows } = await harness.db.pool.query(
    `SELECT game_id, stake_minor AS stake, payout_minor AS payout, state FROM vendor_rounds
     WHERE account_id LIKE $1 ORDER BY opened_at DESC, round_id DESC`,
    [`${session.memberId}%`],
  );
  return rows;
}

/** What the form for a spin sends besides the stake. */
function hiddenFields(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

function post(fields: Record<string, string>): Promise<Response> {
  return fetch(`${harness.address()}/sandbox/vendor/table`, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
}
