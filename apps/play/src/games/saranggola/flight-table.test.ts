import type { SaranggolaBet } from "@perya/contract/saranggola";
import type { LiveBet, SaranggolaState } from "@perya/contract/socket";
import { mintId } from "@perya/kernel/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EMPTY_TABLE,
  type FlightTable,
  flightReducer,
  multiplierText,
  readTargetText,
  secondsText,
  shownBets,
  waitingShare,
} from "./flight-table.ts";

const seed = (n: number) => new Uint8Array(16).fill(n);
const roundId = mintId("round", 1, seed(1));
const betId = mintId("bet", 1, seed(2));
const shownAs = mintId("bet", 0, seed(4));
const php = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" as const });

function flight(change: Partial<SaranggolaState> = {}): SaranggolaState {
  return {
    roundId,
    phase: "flying",
    seedHash: "h",
    now: 0,
    startsAt: 0,
    crashedAt: null,
    bets: [],
    betCount: 0,
    history: [],
    ...change,
  };
}

function bet(change: Partial<SaranggolaBet> = {}): SaranggolaBet {
  const none = { autoCashOut: null, cashedOutAt: null };
  return {
    id: betId,
    shownAs,
    roundId,
    stake: php("100"),
    payout: php("0"),
    state: "placed",
    ...none,
    ...change,
  };
}

const liveBet = {
  ...{ betId: shownAs, account: "m***a", stake: php("100"), cashedOutAt: null, payout: null },
};
const flying = flightReducer(
  flightReducer(EMPTY_TABLE, { type: "snapshot", state: flight({ bets: [liveBet] }) }),
  { type: "bet", bet: bet() },
);

describe("the kite's table", () => {
  it("loses a bet that was not cashed out when the kite crashes", () => {
    const crashed = flight({ phase: "crashed", crashedAt: 150, bets: [liveBet] });
    const table = flightReducer(flying, { type: "live", event: { type: "phase", state: crashed } });
    expect(table.bet?.state).toBe("lost");
  });

  it("does not show a reached automatic target as lost while it is being paid", () => {
    const placed = flightReducer(flying, { type: "bet", bet: bet({ autoCashOut: 150 }) });
    const crashed = flight({ phase: "crashed", crashedAt: 150, bets: [liveBet] });
    const table = flightReducer(placed, { type: "live", event: { type: "phase", state: crashed } });
    expect(table.bet?.state).toBe("placed");
  });

  it("keeps a cash-out, even when an older answer arrives after it", () => {
    const cashed = told(flying, [{ ...liveBet, cashedOutAt: 210, payout: php("210") }]);
    expect(cashed.bet).toMatchObject({ state: "cashed", cashedOutAt: 210 });
    expect(flightReducer(cashed, { type: "bet", bet: bet() }).bet?.state).toBe("cashed");
    expect(flightReducer(cashed, { type: "mine", bets: [bet()] }).bet?.state).toBe("cashed");
    expect(cashed.flight?.bets[0]).toMatchObject({ cashedOutAt: 210, payout: php("210") });
  });

  it("lets another's listed bet under the id of the player's own neither end nor hide it", () => {
    for (const own of [bet(), bet({ shownAs: undefined })]) {
      const placed = flightReducer(flying, { type: "bet", bet: own });
      const theirs = { ...liveBet, betId: own.id, cashedOutAt: 101, payout: php("101") };
      const state = flight({ bets: [liveBet, theirs] });
      for (const table of [
        told(placed, [theirs], 2),
        flightReducer(placed, { type: "snapshot", state }),
        flightReducer(placed, { type: "live", event: { type: "phase", state } }),
      ]) {
        expect(table.bet?.state).toBe("placed");
        expect(shownBets(table)).toContainEqual({ ...theirs, isOwn: false });
      }
    }
  });

  it("returns the stake of a voided flight's bet, both from an event and from a snapshot", () => {
    const back = flight({ phase: "voided", bets: [{ ...liveBet, payout: php("100") }] });
    const heard = flightReducer(flying, { type: "live", event: { type: "phase", state: back } });
    expect(heard.bet?.state).toBe("voided");
    expect(flightReducer(flying, { type: "snapshot", state: back }).bet?.state).toBe("voided");
  });

  it("has the player's bet of the running flight again after a reload", () => {
    const fresh = flightReducer(EMPTY_TABLE, { type: "snapshot", state: flight() });
    const other = bet({ roundId: mintId("round", 2, seed(3)), state: "lost" });
    expect(flightReducer(fresh, { type: "mine", bets: [other, bet()] }).bet?.id).toBe(betId);
    expect(flightReducer(fresh, { type: "mine", bets: [other] }).bet).toBeNull();
  });

  it("starts the next flight without a bet, while the queued one waits for it", () => {
    const wish = { stakeMinor: 100n, autoHundredths: null };
    const queued = flightReducer(flying, { type: "queue", wish });
    const history = [{ roundId, crashedAt: 200 }];
    const next = flight({ roundId: mintId("round", 9, seed(9)), phase: "waiting", history });
    const table = flightReducer(queued, { type: "live", event: { type: "phase", state: next } });
    expect(table.bet).toBeNull();
    expect(table.queued).toMatchObject(wish);
  });

  it("keeps a queued bet for the very next flight, and for no later one", () => {
    const wish = { stakeMinor: 100n, autoHundredths: null };
    const queued = flightReducer(flying, { type: "queue", wish });
    const [second, third] = [mintId("round", 8, seed(8)), mintId("round", 9, seed(9))];
    const crashes = [{ roundId, crashedAt: 200 }];
    const see = (state: SaranggolaState) =>
      flightReducer(queued, { type: "snapshot", state }).queued;
    expect(see(flight({ phase: "crashed", history: crashes }))).toMatchObject(wish);
    expect(see(flight({ roundId: second, history: crashes }))).toBeNull();
    const history = [{ roundId: second, crashedAt: 300 }, ...crashes];
    expect(see(flight({ roundId: third, phase: "waiting", history }))).toBeNull();
  });

  it("lists a bet that was reported twice only once", () => {
    expect(told(flying, [liveBet]).flight?.bets).toHaveLength(1);
  });

  it("lists the largest stakes, equal ones in their order, and counts all", () => {
    const one = (n: number, minor: string) => {
      return { ...liveBet, betId: mintId("bet", n, seed(n)), stake: php(minor) };
    };
    const many = Array.from({ length: 40 }, (_, n) => one(n + 10, "200"));
    const crowded = told(told(flying, many, 41), [one(60, "200"), one(61, "300")], 43);
    const listed = [one(61, "300"), ...many.slice(0, 39)];
    expect(crowded.flight?.bets).toEqual(listed);
    expect(crowded.flight?.betCount).toBe(43);
    // The player's own bet is not among the largest, and is shown before them.
    const own = { betId, account: "", stake: php("100"), cashedOutAt: null, payout: null };
    const others = listed.slice(0, 39).map((other) => ({ ...other, isOwn: false }));
    expect(shownBets(crowded)).toEqual([{ ...own, isOwn: true }, ...others]);
    const paid = bet({ state: "cashed", cashedOutAt: 210, payout: php("210") });
    const gone = flightReducer(crowded, { type: "bet", bet: paid });
    expect(shownBets(gone)[0]).toMatchObject({ betId, cashedOutAt: 210, payout: php("210") });
  });

  it("ignores events about bets from a process of an earlier build", () => {
    const event = { type: "cashed", betId, at: 210, payout: php("210") } as never;
    expect(flightReducer(flying, { type: "live", event })).toBe(flying);
  });
});

/** The event that reports that these bets were placed or cashed out. */
function told(table: FlightTable, bets: LiveBet[], betCount = 1): FlightTable {
  const event = { type: "bets" as const, bets, betCount, betId: null };
  return flightReducer(table, { type: "live", event });
}

describe("the cash-out target", () => {
  it("is read in every notation, for every multiplier", () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 1_000_000 }), (hundredths) => {
        const text = multiplierText(hundredths).replaceAll(",", "");
        expect(readTargetText(text)).toEqual({ hundredths });
      }),
    );
  });

  it("is refused below 1.01×, above 10,000× or where it is no number, and empty means by hand", () => {
    expect(readTargetText("1.00")).toEqual({ fault: "too_small" });
    expect(readTargetText("1.01")).toEqual({ hundredths: 101 });
    expect(readTargetText("10000.01")).toEqual({ fault: "too_big" });
    expect(readTargetText("2.505")).toEqual({ fault: "bad_format" });
    expect(readTargetText("-2")).toEqual({ fault: "bad_format" });
    expect(readTargetText(" ")).toEqual({ hundredths: null });
  });
});

describe("the countdown", () => {
  it("runs from full to empty and no further", () => {
    expect(waitingShare(6_000, 0, 6_000)).toBe(1);
    expect(waitingShare(6_000, 3_000, 6_000)).toBe(0.5);
    expect(waitingShare(6_000, 7_000, 6_000)).toBe(0);
    expect(waitingShare(9_000, 0, 6_000)).toBe(1);
  });

  it("names each second that has begun, and never zero", () => {
    expect([6_000, 5_999, 5_001, 5_000, 1, 0].map(secondsText)).toEqual([
      "6",
      "6",
      "6",
      "5",
      "1",
      "1",
    ]);
  });
});
