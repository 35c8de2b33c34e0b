import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import {
  KEY_CALLS,
  KEY_PATHS,
  keyOfPath,
  PERMISSION_KEY_NAMES,
  type PermissionKey,
} from "../../packages/contract/src/permission-keys.ts";
import { makeBrand } from "../server/fixtures.ts";
import {
  HERE,
  type Input,
  KINDS,
  openAuthorizationHarness,
  type Player,
} from "./authorization-harness.ts";
import { freshId } from "./running-server.ts";

const EVERYTHING = "everything.test";
const hostOf = (key: PermissionKey) => `without-${key.toLowerCase()}.test`;
const STAKE = { minor: "100", currency: "PHP" };

/** Calls that check a key themselves: the input that it decides on, and whose session they need. */
const ASKED: Readonly<
  Record<string, { readonly of?: "member"; readonly input: (key: PermissionKey) => Input }>
> = {
  "GET /api/v1/game-records": { of: "member", input: () => ({}) },
  "POST /api/v1/auth/login": {
    input: () => ({
      body: { type: "sms", countryDialingCode: "+63", username: "9171234567", password: "123456" },
    }),
  },
  "POST /api/v1/auth/sms-code": {
    input: () => ({
      body: {
        purpose: "login",
        countryDialingCode: "+63",
        mobileNum: "9171234567",
        humanCheck: "none",
      },
    }),
  },
  "POST /api/v1/auth/external": {
    input: (key) => ({ body: { provider: key === "GOOGLELOGIN3" ? "google" : "facebook" } }),
  },
  "POST /api/v1/member/external-accounts": {
    of: "member",
    input: (key) => ({ body: { provider: key === "GOOGLELOGIN3" ? "google" : "facebook" } }),
  },
  "POST /api/v1/red-rain/catches": {
    of: "member",
    input: () => ({ body: { id: freshId("catch"), rainId: freshId("rain") } }),
  },
  "POST /api/v1/cockfight/bets": {
    of: "member",
    input: () => ({
      body: { id: freshId("bet"), matchId: freshId("match"), side: "meron", stake: STAKE },
    }),
  },
};

/** Screens that every brand has; a new one fails until it is listed here or gets a key. */
const KEYLESS_SCREENS = `/m /m/activity /m/activityDetail /m/agent
  /m/app /m/baccarat /m/changePsw /m/fairness /m/fav-games /m/feedback /m/fishing-games /m/forget
  /m/gameCenter /m/gameList /m/help /m/home /m/hot-games /m/inHouse /m/index /m/index.html
  /m/launch /m/launch/$nodeId /m/live-games /m/login /m/lott /m/lottery /m/elott
  /m/member/agent/agentDivident /m/member/agent/getDevidendContract
  /m/member/agent/getHourContract /m/member/agent/getSalaryContract /m/member/home
  /m/member/notice /m/message /m/mine /m/notice /m/offline /m/pg-soft /m/play/$game
  /m/poker-games /m/provider /m/register /m/register.html /m/reset /m/roulette /m/search /m/set
  /m/slot-games /m/slotsCenter /m/sport-games /m/sportsLobby /m/verifyEmail`.split(/\s+/);

const harness = await openAuthorizationHarness();
const all = Object.fromEntries(PERMISSION_KEY_NAMES.map((key) => [key, true]));
await makeBrand(harness.pool, systemClock, { hosts: [EVERYTHING], settings: { flags: all } });
for (const key of PERMISSION_KEY_NAMES) {
  const flags = { ...all, [key]: false };
  await makeBrand(harness.pool, systemClock, { hosts: [hostOf(key)], settings: { flags } });
}

afterAll(harness.close);

describe("a permission key that a brand has off", () => {
  it.each(PERMISSION_KEY_NAMES)(
    "[A1-02 A6-11] %s closes its own calls for that brand, and no other key's",
    async (key) => {
      const closed: string[] = [];
      for (const call of callsOf(PERMISSION_KEY_NAMES, "calls")) {
        const input = { params: { id: "none", provider: "google" } };
        const { json } = await harness.send(call, visitorAt(hostOf(key)), input);
        if (json.code === "feature_off") closed.push(call);
        const on = await harness.send(call, visitorAt(EVERYTHING), input);
        expect(on.json.code, call).not.toBe("feature_off");
      }
      expect(closed.sort()).toEqual(callsOf([key], "calls").sort());
    },
    30_000,
  );

  it.each(
    PERMISSION_KEY_NAMES.flatMap((key) =>
      callsOf([key], "asked").map((call) => [key, call] as const),
    ),
  )("[A6-11] %s is checked by %s itself", async (key, call) => {
    const asked = ASKED[call];
    if (asked === undefined) throw new Error(`nobody here knows what ${call} asks about`);
    for (const host of [hostOf(key), EVERYTHING]) {
      const caller = asked.of === undefined ? visitorAt(host) : await memberAt(host);
      const { json } = await harness.send(call, caller, asked.input(key));
      if (host === EVERYTHING) expect(json.code).not.toBe("feature_off");
      else expect(json.code, JSON.stringify(json)).toBe("feature_off");
    }
  });

  it("[A8-08] refuses its calls in the same words as a missing permission", async () => {
    const headers = { "x-language": "EN" };
    const off = await harness.send(
      "GET /api/v1/cockfight/matches/{id}",
      { ...visitorAt(hostOf("COCKFIGHT")), headers },
      { params: { id: "none" } },
    );
    const member = await memberAt(EVERYTHING);
    const denied = await harness.send(
      "GET /api/v1/agent/announcements",
      { ...member, headers: { ...member.headers, ...headers } },
      {},
    );
    const detail =
      "Sorry, this account does not have permission or the feature is temporarily unavailable.";
    expect([off, denied].map(({ status }) => status)).toEqual([403, 403]);
    expect(off.json).toMatchObject({ code: "feature_off", detail });
    expect(denied.json).toMatchObject({ code: "permission_denied", detail });
  });

  it("closes nothing for another brand", async () => {
    for (const call of callsOf(PERMISSION_KEY_NAMES, "calls")) {
      const { json } = await harness.send(call, visitorAt(HERE), { params: { id: "none" } });
      const off = call.includes("/cockfight/");
      expect(json.code === "feature_off", call).toBe(off);
    }
  });
});

describe("a screen", () => {
  it("[A6-11] depends on a key, or belongs to every brand", () => {
    const source = readFileSync(
      new URL("../../apps/play/src/app/router.tsx", import.meta.url),
      "utf8",
    );
    const declared = [
      ...source.matchAll(/(?:[pP]ath:|[pP]ath\(|[sS]creenAt\()\s*"(\/m[^"]*)"/g),
    ].map(([, path]) => path ?? "");
    expect(declared.length).toBeGreaterThan(60);
    const keyless = declared.filter((path) => keyOfPath(path) === null);
    expect([...new Set(keyless)].sort()).toEqual([...new Set(KEYLESS_SCREENS)].sort());
    const keyed = PERMISSION_KEY_NAMES.flatMap((key) => [...KEY_PATHS[key]]);
    const without = keyed.filter(
      (path) => !declared.includes(path.split("?")[0] ?? "") && path !== "/m/play/cockfight",
    );
    expect(without, "of no screen").toEqual([]);
  });
});

function callsOf(keys: readonly PermissionKey[], part: "calls" | "asked"): string[] {
  return keys.flatMap((key) => [...KEY_CALLS[key][part]]);
}

function visitorAt(host: string): Player {
  return { id: "", host, username: "", headers: {} };
}

const members = new Map<string, Player>();

async function memberAt(host: string): Promise<Player> {
  const known = members.get(host) ?? (await harness.newPlayer(host, KINDS.member.type));
  members.set(host, known);
  return known;
}
