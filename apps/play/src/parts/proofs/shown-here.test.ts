// @vitest-environment jsdom
import type { ListedLottery } from "@perya/contract/lottery";
import type { FlightChain } from "@perya/contract/saranggola";
import type { CockfightState, SaranggolaState } from "@perya/contract/socket";
import type { SportsFixture } from "@perya/contract/sports";
import { mintId } from "@perya/kernel/ids";
import { beforeEach, describe, expect, it } from "vitest";
import { api } from "../../shell/server.ts";
import {
  firstKey,
  keepDraws,
  keepFight,
  keepFixtures,
  keepFlight,
  keptChain,
  keptFlight,
  shownHere,
} from "./shown-here.ts";

const random = new Uint8Array(16);
const FLIGHT = mintId("round", 1, random);
const MATCH = mintId("match", 1, random);
const DRAW = mintId("draw", 1, random);
const FIXTURE = mintId("fixture", 1, random);
const CHAIN: FlightChain = {
  ...{ chainId: "sed_1", form: 2, firstIndex: 3, firstHash: "end", salt: "salt", length: 20_000 },
  ...{ committedAt: 1, publicKey: "key", signature: "signature" },
};

beforeEach(() => localStorage.clear());

describe("the device's record", () => {
  it("holds all that fixes a flight while it waits, and nothing of one that flies or is over", () => {
    for (const phase of ["flying", "crashed", "voided"] as const) keepFlight(flight({ phase }));
    expect([keptFlight(FLIGHT), keptChain("sed_1"), firstKey()]).toEqual([null, null, null]);
    keepFlight(flight());
    const { chainId, form, firstIndex, firstHash, salt, length } = CHAIN;
    const fixed = { chainId, form, firstIndex, firstHash, salt, length };
    expect(keptFlight(FLIGHT)).toEqual({ ...fixed, chainIndex: 7, seedHash: "hash" });
    expect([keptChain("sed_1"), firstKey()]).toEqual([CHAIN, "key"]);
  });

  it("holds what was first shown of a flight, whatever chain it is said to belong to later", () => {
    keepFlight(flight());
    const first = keptFlight(FLIGHT);
    keepFlight(flight({ chain: { ...CHAIN, salt: "another" } }));
    for (let n = 0; n < 30; n++) {
      const chain = { ...CHAIN, chainId: `sed_made_up_${n}`, salt: "made-up" };
      keepFlight(flight({ chain, phase: "flying" }));
    }
    expect(keptFlight(FLIGHT)).toEqual(first);
    expect(keptChain("sed_1")).toEqual(CHAIN);
  });

  it("holds nothing of a flight of which an earlier build kept less", () => {
    shownHere.keep("flight", [[FLIGHT, "sed_1 7 hash"]]);
    expect(keptFlight(FLIGHT)).toBeNull();
  });

  it("holds the hash of a fight while bets are taken", () => {
    for (const phase of ["closed", "fighting", "settled", "cancelled"] as const) {
      keepFight(fight(phase));
    }
    expect(shownHere.find("fight", MATCH)).toBeNull();
    keepFight(fight("betting"));
    expect(shownHere.find("fight", MATCH)?.text).toBe("hash");
  });

  it("holds the inputs of a match while anything can be bet on, before it or live", () => {
    const none = { markets: [] };
    for (const late of [none, { phase: "over" as const }, { ...none, phase: "live" as const }]) {
      keepFixtures([fixture(late)]);
    }
    expect(shownHere.find("fixture", FIXTURE)).toBeNull();
    keepFixtures([fixture({ phase: "live" })]);
    expect(shownHere.find("fixture", FIXTURE)?.text).toBe("hash 1 2");
  });

  it("holds the hash of a draw until it is due", () => {
    const soon = api.serverNow() + 60_000;
    keepDraws([lottery({ drawsAt: api.serverNow() }), lottery({ drawsAt: soon, state: "voided" })]);
    expect(shownHere.find("draw", DRAW)).toBeNull();
    keepDraws([lottery({ drawsAt: soon })]);
    expect(shownHere.find("draw", DRAW)?.text).toBe("hash");
  });
});

function flight(change: Partial<SaranggolaState> = {}): SaranggolaState {
  return {
    ...{ roundId: FLIGHT, phase: "waiting", seedHash: "hash", chain: CHAIN, chainIndex: 7 },
    ...{ now: 0, startsAt: 0, crashedAt: null, bets: [], betCount: 0, history: [] },
    ...change,
  };
}

function fight(phase: CockfightState["phase"]): CockfightState {
  return {
    ...{ matchId: MATCH, number: 1, phase, seedHash: "hash", now: 0, closesAt: 0 },
    ...{ fightsAt: null, exchanges: null, result: null, pools: [], history: [] },
  };
}

function fixture(change: Partial<SportsFixture>): SportsFixture {
  const selections = [{ selection: "home" as const, odds: 2_000 }];
  return {
    ...{ id: FIXTURE, sport: "football", home: "A", away: "B", startsAt: 0, phase: "next" },
    ...{ tick: 0, score: { home: 0, away: 0 }, suspended: false },
    ...{ markets: [{ market: "result", selections }], chances: { home: 1, away: 2 } },
    ...{ seedHash: "hash", serverSeed: null },
    ...change,
  };
}

/** Only the part of a lottery that is read. */
function lottery(change: Partial<NonNullable<ListedLottery["next"]>>): ListedLottery {
  const next = { id: DRAW, state: "open", drawsAt: 0, seedHash: "hash", ...change };
  return { next } as ListedLottery;
}
