import { TOAST_MS } from "@perya/ui/toast-times";
import { describe, expect, it } from "vitest";
import {
  type Gate,
  isAgent,
  isLedToContracts,
  type MenuRules,
  refusalAt,
  sessionType,
  showsMissions,
  showsReferral,
  showsVip,
} from "./access.ts";
import { isTrial, type SessionInfo } from "./session.ts";

const TYPES = [0, 1, 2, 4, 40, 41, 42] as const;

function of(type: number): SessionInfo {
  return { token: "t", merchantCode: "perya", userName: "u", type, firstTimeLogin: false };
}

function rules(on: Partial<Record<"VIP" | "MISSION" | "REFERRAL", boolean>> = {}): MenuRules {
  return {
    menuCheck: [
      { key: "VIPBENEFIT", type: "VIP" },
      { key: "MISSION", type: "MISSION" },
      { key: "REFERRAL", type: "REFERRAL" },
    ],
    promoAvailability: {
      VIPBENEFIT: { enabled: on.VIP === true },
      MISSION: { enabled: on.MISSION === true },
      REFERRAL: { enabled: on.REFERRAL === true },
    },
  };
}

const typesWhere = (holds: (session: SessionInfo) => boolean) =>
  TYPES.filter((type) => holds(of(type)));

describe("kinds of user", () => {
  it("[A6-01] count as type 4 without a session, which is no trial account yet", () => {
    expect(sessionType(null)).toBe(4);
    expect(isTrial(null)).toBe(false);
    expect(TYPES.map((type) => sessionType(of(type)))).toEqual(TYPES);
  });

  it("[G2.9-12] are led to contracts that wait but for 0, 4, 40, 41 and 42, and for nobody", () => {
    expect(typesWhere(isLedToContracts)).toEqual([1, 2]);
    expect(isLedToContracts(null)).toBe(false);
  });

  it("[A6-02] are agents but for 0, 4 and 40, and for nobody", () => {
    expect(typesWhere(isAgent)).toEqual([1, 2, 41, 42]);
    expect(isAgent(null)).toBe(false);
  });
});

describe("a gate", () => {
  const passing = (gate: Gate) => typesWhere((session) => refusalAt(gate, session) === null);

  it("[A6-04] asks a guest for a log-in, whatever it guards", () => {
    for (const gate of ["session", "unlessTrial", "real"] as const) {
      expect(refusalAt(gate, null)).toBe("login");
    }
  });

  it("[A6-03] of real money passes types 0, 1 and 2 and refuses the others", () => {
    expect(passing("real")).toEqual([0, 1, 2]);
    for (const type of [4, 40, 41, 42]) expect(refusalAt("real", of(type))).toBe("free_reject");
    expect(TOAST_MS.freeReject).toBe(2_000);
  });

  it("[A6-05] of deposits, messages and chat refuses type 4 alone", () => {
    expect(passing("unlessTrial")).toEqual([0, 1, 2, 40, 41, 42]);
    expect(refusalAt("unlessTrial", of(4))).toBe("free_reject");
  });

  it("of what every player has passes whoever is logged in", () => {
    expect(passing("session")).toEqual(TYPES);
  });
});

describe("a menu", () => {
  it("[A6-09] shows share and earn to guests, and to players who are no agents while it is on", () => {
    expect(showsReferral(null, rules())).toBe(true);
    expect(typesWhere((session) => showsReferral(session, rules({ REFERRAL: true })))).toEqual([
      0, 4, 40,
    ]);
    expect(typesWhere((session) => showsReferral(session, rules()))).toEqual([]);
  });

  it("[A6-10] shows VIP without a session, or while the brand has its benefits on", () => {
    expect(showsVip(null, rules())).toBe(true);
    expect(showsVip(of(0), rules())).toBe(false);
    expect(typesWhere((session) => showsVip(session, rules({ VIP: true })))).toEqual(TYPES);
  });

  it("[G3-12] follows the brand's menu check by type, and what of it is available by key", () => {
    expect(showsMissions(rules({ MISSION: true }))).toBe(true);
    expect(showsMissions(rules())).toBe(false);
    const off = { ...rules({ MISSION: true }), menuCheck: [] };
    expect(showsMissions(off)).toBe(false);
    const renamed = {
      menuCheck: [{ key: "QUESTS", type: "MISSION" as const }],
      promoAvailability: { MISSION: { enabled: true }, QUESTS: { enabled: false } },
    };
    expect(showsMissions(renamed)).toBe(false);
  });
});
