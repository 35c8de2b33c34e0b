import { describe, expect, it } from "vitest";
import { type AnyCallKey, calls } from "./calls.ts";
import {
  closedPaths,
  KEY_CALLS,
  KEY_PATHS,
  keyOfCall,
  keyOfPath,
  PERMISSION_KEY_NAMES,
} from "./permission-keys.ts";

/** As the specification names them (accounts §6, games §6 and §2.5). */
const SPECIFIED = `TRANSBETREPMEM3 TRANSREC3 PERSREP REWCEN3 PTSYS3 SECPRIV AGEPAG DOWNMAN
  AGENTRANSMULTDOWN3 AGETEAMPNL3 TEAMBETTING3 GAMSER AGEREBINC3 MAILCEN DEPOSIT MANPLAYREB3
  MOBILEVERCODELOGIN3 FREEPLAY3 FACEBOOKLOGIN3 GOOGLELOGIN3 CBS3 VIPBENEFIT REFERRAL
  MISSION`.split(/\s+/);
const OURS = ["REDRAIN", "WITHDRAW", "OPENACC", "COCKFIGHT"];

it.each([
  ["TRANSBETREPMEM3", "/m/gameRecord"],
  ["MANPLAYREB3", "/m/member/manualRebate"],
  ["REWCEN3", "/m/rewardCenter"],
  ["MAILCEN", "/m/messages"],
  ["CBS3", "/m/chat"],
  ["VIPBENEFIT", "/m/member/benefits"],
  ["REFERRAL", "/m/inviteFriends"],
  ["MISSION", "/m/leaderBoard"],
] as const)("[G2.5-04 G2.5-06 G2.5-07] %s, and no other key, opens %s", (key, path) => {
  expect(KEY_PATHS[key]).toContain(path);
  expect(keyOfPath(path)).toBe(key);
});

/**
 * What every brand has: each call is in a key's row, is here, or is of a module that is here, by the
 * first word of its path. A new call of another module fails until it is.
 */
const KEYLESS_MODULES =
  `announcements countries domain-routes encryption-key fairness feedback games help inbox
  live-models lottery notices promotions rounds saranggola service-link sports status
  vendors winners`.split(/\s+/);
const KEYLESS = `
  PUT /api/v1/auth/register
  GET /api/v1/auth/register-settings
  GET /api/v1/auth/verification
  GET /api/v1/auth/invitation-code
  GET /api/v1/auth/username-availability
  GET /api/v1/auth/captcha
  DELETE /api/v1/auth/logout
  GET /api/v1/auth/human-check
  POST /api/v1/auth/forgot-password
  POST /api/v1/auth/reset-link
  POST /api/v1/auth/password-by-link
  POST /api/v1/auth/recovery-name
  POST /api/v1/auth/password-by-phone
  POST /api/v1/auth/password
  GET /api/v1/member/security
  POST /api/v1/auth/fresh
  POST /api/v1/auth/email-link
  POST /api/v1/member/payment-password
  POST /api/v1/member/payment-proof/options
  POST /api/v1/member/payment-proof
  POST /api/v1/auth/second-factor
  POST /api/v1/auth/passkey-options
  POST /api/v1/auth/passkey
  POST /api/v1/auth/external/finish
  PUT /api/v1/auth/external/register
  GET /api/v1/member/info
  GET /api/v1/member/wallet
  GET /api/v1/agent/contract-info
  GET /api/v1/agent/contract-requests/daily-salary
  GET /api/v1/agent/contract-requests/hourly-salary
  GET /api/v1/agent/contract-requests/dividend
  POST /api/v1/agent/contract-requests/accept
  POST /api/v1/agent/contract-requests/decline
  POST /api/v1/agent/contract-offers
  POST /api/v1/agent/contract-offers/withdraw
  GET /api/v1/member/favourites
  GET /api/v1/member/favourite-ids
  POST /api/v1/member/favourites
  DELETE /api/v1/member/favourites
  GET /api/v1/member/recent-games
  GET /api/v1/member/recent-games/add
  GET /api/v1/agent/announcements
  GET /api/v1/cashier/methods
  GET /api/v1/cashier/deposits
  GET /api/v1/cashier/deposits/{id}
  PUT /api/v1/cashier/deposits/{id}/receipt
  POST /api/v1/cashier/deposits/{id}/claim
  GET /api/v1/cashier/withdrawals
  GET /api/v1/cashier/withdrawals/{id}
  GET /api/v1/cockfight/bets/mine`
  .trim()
  .split(/\n\s*/);
const moduleOf = (call: string) => call.split("/")[3] ?? "";

const all = (part: "calls" | "asked") =>
  PERMISSION_KEY_NAMES.flatMap((key) => KEY_CALLS[key][part]);

describe("the permission keys", () => {
  it("[A6-11] are those of the specification and four of ours", () => {
    expect([...PERMISSION_KEY_NAMES].sort()).toEqual([...SPECIFIED, ...OURS].sort());
    expect(SPECIFIED).toHaveLength(24);
  });

  it("hold every call of players in exactly one row, except those that every brand has", () => {
    const players = (Object.keys(calls) as AnyCallKey[]).filter(
      (key) => !calls[key].callers.some((one) => one === "signed" || one.startsWith("operator:")),
    );
    const keyed = new Set<string>([...all("calls"), ...all("asked")]);
    const isKeyless = (key: string) =>
      KEYLESS.includes(key) || KEYLESS_MODULES.includes(moduleOf(key));
    expect(
      players.filter((key) => !keyed.has(key) && !isKeyless(key)),
      "in no row",
    ).toEqual([]);
    expect([...keyed].filter(isKeyless), "in a row after all").toEqual([]);
    const placed: string[] = [...KEYLESS, ...keyed];
    expect(
      placed.filter((key) => !players.some((one) => one === key)),
      "no call",
    ).toEqual([]);
    const modules = new Set(players.map(moduleOf));
    expect(
      KEYLESS_MODULES.filter((name) => !modules.has(name)),
      "no call's module",
    ).toEqual([]);
    expect(
      KEYLESS.filter((key) => KEYLESS_MODULES.includes(moduleOf(key))),
      "here twice",
    ).toEqual([]);
    const twice = all("calls").filter((key, at, keys) => keys.indexOf(key) !== at);
    expect(twice, "behind two keys").toEqual([]);
  });

  it("are found by each of their calls and paths, in any capitals and with more query", () => {
    for (const key of PERMISSION_KEY_NAMES) {
      for (const call of KEY_CALLS[key].calls) expect(keyOfCall(call)).toBe(key);
      for (const path of KEY_PATHS[key]) {
        expect(keyOfPath(path), path).toBe(key);
        expect(keyOfPath(path.toUpperCase()), path).toBe(key);
        expect(keyOfPath(`${path}${path.includes("?") ? "&" : "?"}more=1#part`), path).toBe(key);
      }
    }
    expect(keyOfPath("/m/transaction/record?types=B")).toBe("TRANSREC3");
    expect(keyOfPath("/m/play/color-game")).toBeNull();
    expect(keyOfPath("/m/home")).toBeNull();
    expect(keyOfCall("GET /api/v1/status")).toBeNull();
  });
});

it("the paths closed for a brand are exactly those of the keys that it has off", () => {
  expect(closedPaths(() => true)).toEqual([]);
  expect(closedPaths((key) => key !== "COCKFIGHT")).toEqual(["/m/cockfight", "/m/play/cockfight"]);
  expect(closedPaths(() => false)).toEqual(PERMISSION_KEY_NAMES.flatMap((key) => KEY_PATHS[key]));
});
