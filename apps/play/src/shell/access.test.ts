import {
  closedPaths,
  KEY_PATHS,
  PERMISSION_KEY_NAMES,
  type PermissionKey,
} from "@perya/contract/permission-keys";
import { TOAST_MS } from "@perya/ui/toast-times";
import { describe, expect, it } from "vitest";
import {
  type Gate,
  isAgent,
  isLedToContracts,
  isOpenTo,
  isPathOn,
  type MenuRules,
  refusalAt,
  sessionType,
  showsEntry,
} from "./access.ts";
import { isTrial, type SessionInfo } from "./session.ts";

const TYPES = [0, 1, 2, 4, 40, 41, 42] as const;

function of(type: number): SessionInfo {
  return { token: "t", merchantCode: "perya", userName: "u", type, firstTimeLogin: false };
}

function rules(on: Partial<Record<"VIP" | "MISSION" | "REFERRAL", boolean>> = {}): MenuRules {
  return {
    closedPaths: [],
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

describe("a user", () => {
  it("[A6-01] counts as type 4 without a session, but is no trial account yet", () => {
    expect(sessionType(null)).toBe(4);
    expect(isTrial(null)).toBe(false);
    expect(TYPES.map((type) => sessionType(of(type)))).toEqual(TYPES);
  });

  it("[G2.9-12] is led to waiting contracts unless the type is 0, 4, 40, 41 or 42, or nobody is logged in", () => {
    expect(typesWhere(isLedToContracts)).toEqual([1, 2]);
    expect(isLedToContracts(null)).toBe(false);
  });

  it("[A6-02] is an agent unless the type is 0, 4 or 40, or nobody is logged in", () => {
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

  it("[A6-03] of real money lets types 0, 1 and 2 pass and refuses the others", () => {
    expect(passing("real")).toEqual([0, 1, 2]);
    for (const type of [4, 40, 41, 42]) expect(refusalAt("real", of(type))).toBe("free_reject");
    expect(TOAST_MS.freeReject).toBe(2_000);
  });

  it("[A6-05] of deposits, messages and chat refuses type 4 alone", () => {
    expect(passing("unlessTrial")).toEqual([0, 1, 2, 40, 41, 42]);
    expect(refusalAt("unlessTrial", of(4))).toBe("free_reject");
  });

  it("of a player's own screens lets every logged-in type pass", () => {
    expect(passing("session")).toEqual(TYPES);
  });
});

describe("a menu", () => {
  const typesShown = (path: string, given: MenuRules) =>
    typesWhere((session) => showsEntry(path, session, given));

  it("[A6-09] shows share and earn to guests, and to players who are not agents while it is on", () => {
    expect(showsEntry(INVITE, null, rules())).toBe(true);
    expect(typesShown(INVITE, rules({ REFERRAL: true }))).toEqual([0, 4, 40]);
    expect(typesShown(INVITE, rules())).toEqual([]);
  });

  it("[A6-09] keeps a screen closed to every player who does not see its entry", () => {
    const openTo = (given: MenuRules) => typesWhere((session) => isOpenTo(INVITE, session, given));
    expect(openTo(rules({ REFERRAL: true }))).toEqual([0, 4, 40]);
    expect(openTo(rules())).toEqual([]);
    const typed = (session: SessionInfo | null) =>
      isOpenTo(`${INVITE}?types=A`, session, rules({ REFERRAL: true }));
    expect(typesWhere(typed)).toEqual([0, 4, 40]);
  });

  it("[A6-10] shows VIP without a session, or while the brand has its benefits on", () => {
    expect(showsEntry(VIP, null, rules())).toBe(true);
    expect(showsEntry(VIP, of(0), rules())).toBe(false);
    expect(typesShown(VIP, rules({ VIP: true }))).toEqual(TYPES);
  });

  it("[G3-12] follows the brand's menu check by type, and each entry's availability by key", () => {
    expect(isPathOn(MISSIONS, rules({ MISSION: true }))).toBe(true);
    expect(isPathOn(MISSIONS, rules())).toBe(false);
    const off = { ...rules({ MISSION: true }), menuCheck: [] };
    expect(isPathOn(MISSIONS, off)).toBe(false);
    const renamed = {
      ...rules(),
      menuCheck: [{ key: "QUESTS", type: "MISSION" as const }],
      promoAvailability: { MISSION: { enabled: true }, QUESTS: { enabled: false } },
    };
    expect(isPathOn(MISSIONS, renamed)).toBe(false);
  });

  it.each(PERMISSION_KEY_NAMES)(
    "[A1-02 A6-11] shows the entries of %s, and lets their paths through, only while the key is on",
    (key) => {
      const everything = withKeys(PERMISSION_KEY_NAMES);
      const without = withKeys(PERMISSION_KEY_NAMES.filter((one) => one !== key));
      for (const one of PERMISSION_KEY_NAMES) {
        for (const path of KEY_PATHS[one]) {
          expect(isPathOn(path, everything), path).toBe(true);
          expect(isPathOn(path, without), path).toBe(one !== key);
          expect(showsEntry(path, of(0), without), path).toBe(one !== key);
        }
      }
      expect(showsEntry("/m/help", null, withKeys([]))).toBe(true);
    },
  );

  it("[A1-02] hides a closed path under any query, except the agents' view, which has its own key", () => {
    const stillOpen = PERMISSION_KEY_NAMES.flatMap((key) => {
      const without = withKeys(PERMISSION_KEY_NAMES.filter((one) => one !== key));
      const plain = KEY_PATHS[key].filter((path) => !path.includes("?"));
      return plain.filter((path) => isPathOn(`${path}?types=A`, without));
    });
    expect(stillOpen).toEqual(["/m/transaction/record"]);
  });
});

const INVITE = "/m/inviteFriends";
const VIP = "/m/member/benefits";
const MISSIONS = "/m/leaderBoard";

/** The status of a brand that has only these keys on. */
function withKeys(on: readonly PermissionKey[]): MenuRules {
  const { menuCheck } = rules();
  return {
    menuCheck,
    promoAvailability: Object.fromEntries(
      menuCheck.map(({ key }) => [key, { enabled: on.some((one) => one === key) }]),
    ),
    closedPaths: closedPaths((key) => on.includes(key)),
  };
}
