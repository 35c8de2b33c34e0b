import { agentCalls, type ContractKind, type ContractReply } from "@perya/contract/agents";
import type { OnWire } from "@perya/contract/wire";
import { type IdKind, mintId } from "@perya/kernel/ids";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { money, moneyReplacer, toWire } from "@perya/kernel/money";
import { beforeEach, describe, expect, it } from "vitest";
import { codeOf, type Said, taken } from "../../../../../tests/server/answers.ts";
import {
  EVENING,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import { agentRoutes } from "./agents.routes.ts";
import { Agents, type GivenOffer } from "./agents.ts";

const entropy = seededEntropy("agents");
const clock = manualClock();
let merchant: Merchant;
let linda: Session;
let boyet: Session;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const agents = new Agents(db.pool, clock);

/** A brand with an agent and their sub-agent, who has no offer yet. */
beforeEach(async () => {
  clock.set(EVENING);
  merchant = await makeBrand(db.pool, clock);
  linda = await member({ type: 1, username: "linda" });
  boyet = await member({ type: 2, username: "boyet", invitedBy: linda });
});

describe("an offer", () => {
  it("waits for the agent right below, once however often it is sent", async () => {
    const given = dividend({ username: "Boyet" });
    const offered = taken(await agents.offer(merchant, linda, given));
    expect(offered).toMatchObject({
      ...{ id: given.id, kind: "dividend", period: "MONTH", currency: "PHP", state: "pending" },
      ...{ upline: "linda", downline: "boyet", offeredAt: EVENING, decidedAt: null },
      ...{ startsOn: null, endsOn: null },
      tiers: [
        { fromMinor: 0n, activeMembers: 1, basisPoints: 2_000, amountMinor: null },
        { fromMinor: 5_000_000n, activeMembers: 5, basisPoints: 3_000, amountMinor: null },
      ],
    });
    clock.advance(HOUR_MS);
    expect(taken(await agents.offer(merchant, linda, given))).toEqual(offered);
    const cheaper = { ...given, tiers: given.tiers.slice(0, 1) };
    expect(codeOf(await agents.offer(merchant, linda, cheaper))).toBe("id_reused");
    const elsewhere = { ...given, username: "nobody" };
    expect(codeOf(await agents.offer(merchant, linda, elsewhere))).toBe("id_reused");
    // Sent again after the answer, it shows the answer.
    taken(await agents.decline(merchant, boyet, given.id));
    expect(taken(await agents.offer(merchant, linda, given)).state).toBe("declined");
  });

  it("of a kind waits alone, and of twenty at one moment one is taken", async () => {
    const offers = Array.from({ length: 20 }, () => agents.offer(merchant, linda, dividend()));
    const said = (await Promise.all(offers)).map(codeOf);
    expect(said.filter((code) => code === "ok")).toHaveLength(1);
    expect(new Set(said)).toEqual(new Set(["ok", "too_many_open"]));
    taken(await agents.offer(merchant, linda, daily()));
    const again = hourly();
    const sent = await Promise.all([1, 2, 3].map(() => agents.offer(merchant, linda, again)));
    expect(sent.map(codeOf)).toEqual(["ok", "ok", "ok"]);
    expect(await agents.requirements(boyet)).toEqual({
      ...{ daily: true, hourly: true, dividend: "MONTH" },
    });
  });

  it("[A8-09] goes only to an agent right below: to no member, nobody further down, no blocked one, none of another brand", async () => {
    const blocked = await member({ type: 2, username: "blocked", invitedBy: linda });
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [blocked.memberId]);
    await member({ type: 0, username: "tess", invitedBy: linda });
    await member({ type: 41, username: "house", invitedBy: linda });
    await member({ type: 2, username: "further", invitedBy: boyet });
    await member({ type: 2, username: "stranger" });
    const other = await makeBrand(db.pool, clock);
    await member({ type: 2, username: "abroad" }, other);
    const say = async (username: string) =>
      codeOf(await agents.offer(merchant, linda, dividend({ username })));
    for (const name of ["tess", "house"]) expect(await say(name)).toBe("username not_allowed");
    for (const name of ["further", "stranger", "abroad", "nobody", "linda", "blocked"]) {
      const refused = await agents.offer(merchant, linda, dividend({ username: name }));
      expect(refused.ok ? "ok" : refused.error.code, name).toBe("user_missing");
      expect(codeOf(refused)).toBe("username not_allowed");
    }
    // The same names at the other brand are other people.
    expect(codeOf(await agents.offer(other, { ...linda, merchantId: other.id }, dividend()))).toBe(
      "username not_allowed",
    );
  });

  it.each<[string, Partial<GivenOffer>]>([
    ["period required", { period: undefined }],
    ["period not_allowed", { kind: "daily" }],
    ["tiers.0.amount required", { kind: "hourly", period: undefined }],
    ["tiers.0.basisPoints required", { tiers: [{ from: php("0"), activeMembers: 0 }] }],
    ["tiers.1.amount not_allowed", { tiers: [tier("0"), { ...tier("1"), amount: php("5") }] }],
    [
      "tiers.0.from.currency foreign_currency",
      { tiers: [{ ...tier("0"), from: money(0n, "FUN") }] },
    ],
    ["tiers.1.from.minor too_small", { tiers: [tier("100"), tier("100")] }],
    ["tiers.1.activeMembers too_small", { tiers: [tier("0", 2), tier("1", 1)] }],
    ["tiers.1.basisPoints too_small", { tiers: [tier("0", 0, 300), tier("1", 0, 299)] }],
    ["tiers.0.basisPoints too_big", { tiers: [tier("0", 0, 5_001)] }],
  ])("is refused by the field: %s", async (fault, change) => {
    expect(codeOf(await agents.offer(merchant, linda, { ...dividend(), ...change }))).toBe(fault);
    expect(await agents.requirements(boyet)).toMatchObject({ dividend: null });
  });

  it("is refused with the unit that a limit counts: money, a share, or members", async () => {
    const tiers = [tier("100", 2, 300), tier("100", 1, 299)];
    const [low, few] = [
      { field: "tiers.1.from.minor", code: "too_small", limit: "101", unit: "PHP" },
      { field: "tiers.1.activeMembers", code: "too_small", limit: "2" },
    ];
    const little = { field: "tiers.1.basisPoints", code: "too_small", limit: "300" };
    expect(await agents.offer(merchant, linda, { ...dividend(), tiers })).toEqual({
      ok: false,
      error: { code: "invalid_input", fields: [low, few, { ...little, unit: "basis_points" }] },
    });
  });

  it("of an agent below another promises no more than they get themselves", async () => {
    await member({ type: 2, username: "nena", invitedBy: boyet });
    const say = async (given: GivenOffer) => codeOf(await agents.offer(merchant, boyet, given));
    const to = { username: "nena" };
    expect(await say(dividend(to))).toBe("kind not_allowed");
    await holds(dividend());
    const tiers = (...some: GivenOffer["tiers"]) => dividend({ ...to, tiers: some });
    expect(await say({ ...dividend(to), period: "WEEK" })).toBe("period not_allowed");
    expect(await say(tiers(tier("0", 0, 100)))).toBe("tiers.0.activeMembers too_small");
    expect(await say(tiers(tier("4999999", 9, 2_001)))).toBe("tiers.0.basisPoints too_big");
    expect(await say(tiers(tier("5000000", 4, 2_001)))).toBe("tiers.0.basisPoints too_big");
    expect(await say(tiers(tier("5000000", 5, 3_001)))).toBe("tiers.0.basisPoints too_big");
    await holds(hourly());
    const hour = (from: string, minor: string) =>
      hourly({ ...to, tiers: [{ from: php(from), activeMembers: 0, amount: php(minor) }] });
    expect(await say(hour("9999", "100"))).toBe("tiers.0.from.minor too_small");
    expect(await say(hour("10000", "50001"))).toBe("tiers.0.amount.minor too_big");
    // Nobody may promise more than the brand allows.
    expect(codeOf(await agents.offer(merchant, linda, hour("10000", "100001")))).toBe(
      "username not_allowed",
    );
    expect(await say(hour("10000", "100001"))).toBe("tiers.0.amount.minor too_big");
    expect(await say(hour("10000", "50000"))).toBe("ok");
    expect(await say(tiers(tier("0", 1, 2_000), tier("6000000", 6, 3_000)))).toBe("ok");
  });
});

describe("a contract", () => {
  it("that is accepted holds from the brand's next day, and ends the one before it", async () => {
    const first = dividend();
    await holds(first);
    // A minute before midnight in Manila.
    clock.set(EVENING + 4 * HOUR_MS - MINUTE_MS);
    const [today] = await listed("dividend");
    expect(today).toMatchObject({ id: first.id, state: "accepted", startsOn: "2026-03-07" });
    clock.advance(MINUTE_MS);
    expect((await listed("dividend"))[0]).toMatchObject({ id: first.id, state: "in_force" });

    clock.set(EVENING + 9 * DAY_MS);
    const next = dividend({ period: "WEEK" });
    taken(await agents.offer(merchant, linda, next));
    expect((await listed("dividend")).map(({ id, state }) => [id, state])).toEqual([
      [next.id, "pending"],
      [first.id, "in_force"],
    ]);
    const accepted = taken(await agents.accept(merchant, boyet, next.id));
    expect(accepted).toMatchObject({ state: "accepted", startsOn: "2026-03-16", endsOn: null });
    expect(accepted.decidedAt).toBe(clock.now());
    expect(await listed("dividend")).toMatchObject([
      { id: next.id, state: "accepted" },
      { id: first.id, state: "in_force", startsOn: "2026-03-07", endsOn: "2026-03-16" },
    ]);
    clock.advance(DAY_MS);
    expect((await listed("dividend")).map(({ state }) => state)).toEqual(["in_force", "ended"]);
  });

  it("that another replaced before its first day never held; other kinds stay as they are", async () => {
    const [salary, first, second] = [daily(), dividend(), dividend()];
    for (const given of [salary, first, second]) await holds(given);
    expect((await listed("dividend")).map(({ id, state }) => [id, state])).toEqual([
      [second.id, "accepted"],
      [first.id, "ended"],
    ]);
    clock.advance(DAY_MS);
    expect((await listed("daily")).map(({ state }) => state)).toEqual(["in_force"]);
    expect(await listed("hourly")).toEqual([]);
  });

  it("is decided once, by the agent to whom it was offered; the giver takes it back while it waits", async () => {
    const given = dividend();
    taken(await agents.offer(merchant, linda, given));
    const strangers = [
      await member({ type: 2, invitedBy: linda }),
      { ...boyet, merchantId: (await makeBrand(db.pool, clock)).id },
      linda,
    ];
    for (const stranger of strangers) {
      expect(codeOf(await agents.accept(merchant, stranger, given.id))).toBe("not_found");
      expect(codeOf(await agents.decline(merchant, stranger, given.id))).toBe("not_found");
      expect(await agents.contracts(merchant, stranger, "dividend")).toEqual([]);
    }
    expect(codeOf(await agents.withdraw(merchant, boyet, given.id))).toBe("not_found");
    const back = taken(await agents.withdraw(merchant, linda, given.id));
    expect(back).toMatchObject({ state: "withdrawn", startsOn: null });
    clock.advance(HOUR_MS);
    expect(taken(await agents.withdraw(merchant, linda, given.id))).toEqual(back);
    expect(codeOf(await agents.accept(merchant, boyet, given.id))).toBe("wrong_state");
    expect(codeOf(await agents.decline(merchant, boyet, given.id))).toBe("wrong_state");
  });

  it("that is accepted and taken back at one moment goes one way only", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const given = hourly();
      taken(await agents.offer(merchant, linda, given));
      const acts = [
        () => agents.accept(merchant, boyet, given.id),
        () => agents.withdraw(merchant, linda, given.id),
        () => agents.accept(merchant, boyet, given.id),
        () => agents.decline(merchant, boyet, given.id),
      ];
      // Each act comes first once.
      const turned = acts.map((_, at) => (at + round) % acts.length);
      const said = await Promise.all(turned.map((at) => acts[at]?.()));
      const states = said.flatMap((one) => (one?.ok === true ? [one.value.state] : []));
      expect(new Set(states).size).toBe(1);
      expect(states).toHaveLength(states[0] === "accepted" ? 2 : 1);
      seen.add(states[0] ?? "");
    }
    expect(seen.size).toBeGreaterThan(1);
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS holding FROM agent_contracts
       WHERE member_id = $1 AND state = 'accepted' AND ends_on IS NULL`,
      [boyet.memberId],
    );
    expect(rows).toEqual([{ holding: 1 }]);
  });
});

describe("the calls of agents", () => {
  it("[A7-38 G7-17] tell of each kind whether a request waits, and list the requests of each", async () => {
    const info = () => ask("GET /api/v1/agent/contract-info", boyet);
    expect(taken(await info())).toEqual({
      ...{ dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" },
    });
    for (const one of [daily(), hourly(), dividend({ period: "HALF_MONTH" })]) {
      taken(await agents.offer(merchant, linda, one));
    }
    expect(taken(await info())).toEqual({
      dailysalreqtype: "TURNOVER",
      divtypecompperiodreq: "HALF_MONTH",
      contracthoursalreq: "AMOUNT",
    });
    expect(await listed("dividend")).toMatchObject([
      {
        ...{ kind: "dividend", period: "HALF_MONTH", upline: "linda", state: "pending" },
        tiers: [
          { from: toWire(php("0")), activeMembers: 1, basisPoints: 2_000, amount: null },
          { from: toWire(php("5000000")), activeMembers: 5, basisPoints: 3_000, amount: null },
        ],
      },
    ]);
    expect(await listed("hourly")).toMatchObject([
      { kind: "hourly", tiers: [{ basisPoints: null, amount: toWire(php("50000")) }] },
    ]);
    expect(await listed("daily")).toMatchObject([{ kind: "daily", period: null }]);
  });

  it("[A7-39] count what the whole team did in the brand's days, and who is online now", async () => {
    const tess = await member({ invitedBy: linda });
    const bea = await member({ invitedBy: boyet });
    const jun = await member({ invitedBy: bea });
    await member({});
    // The last second of the day before in Manila, and its first.
    const midnight = EVENING - 20 * HOUR_MS;
    const late = await member({ invitedBy: jun }, merchant, midnight - 1);
    const early = await member({ invitedBy: jun }, merchant, midnight);
    for (const [who, at, outcome] of [
      [linda, EVENING, "done"],
      [tess, EVENING, "done"],
      [tess, EVENING, "done"],
      [bea, midnight - 1, "done"],
      [jun, midnight, "done"],
      [late, EVENING, "wrong"],
    ] as const) {
      await loggedIn(who, at, outcome);
    }
    for (const [who, at] of [
      [bea, midnight],
      [bea, EVENING],
      [late, midnight - 1],
      [linda, EVENING],
    ] as const) {
      await played(who, at);
    }
    for (const away of [boyet, bea, late]) await seen(away, midnight);
    await seen(jun, EVENING - 5 * MINUTE_MS);
    await seen(tess, EVENING - 5 * MINUTE_MS - 1);
    await seen(early, EVENING, { ended: true });
    await seen(linda, EVENING);

    const kpi = (session: Session, startDate: string, endDate: string) =>
      ask("GET /api/v1/agent/team-kpi", session, { startDate, endDate, size: "0" });
    const counts = (login: number, bet: number, register: number, online: number) => ({
      footer: {
        teamLoginMemberCount: login,
        teamBetMemberCount: bet,
        teamRegisterMemberCount: register,
        teamOnlineCount: online,
      },
    });
    const today = "2026-03-06";
    // Boyet, Tess, Bea, Jun and Early registered today.
    expect(taken(await kpi(linda, today, today))).toEqual(counts(2, 1, 5, 1));
    expect(taken(await kpi(boyet, today, today))).toEqual(counts(1, 1, 3, 1));
    expect(taken(await kpi(linda, "2026-03-05", today))).toEqual(counts(3, 2, 6, 1));
    expect(taken(await kpi(linda, "2026-03-05", "2026-03-05"))).toEqual(counts(1, 1, 1, 1));
    expect(taken(await kpi(early, today, today))).toEqual(counts(0, 0, 0, 0));
    const elsewhere = { ...linda, merchantId: (await makeBrand(db.pool, clock)).id };
    expect(taken(await kpi(elsewhere, today, today))).toEqual(counts(0, 0, 0, 0));
    expect(codeOf(await kpi(linda, today, "2026-03-05"))).toBe("endDate too_small");
    expect(codeOf(await kpi(linda, "2025-03-05", today))).toBe("endDate too_big");
    expect(codeOf(await kpi(linda, "2025-03-06", today))).toBe("ok");
  });

  it("count from the first midnight of a day whose midnight comes twice, or is skipped", async () => {
    const cuban = { ...merchant, zone: "America/Havana" };
    const registered = async (day: string) =>
      taken(await agents.teamCounts(cuban, linda, { from: day, to: day })).registered;
    for (const midnight of [Date.UTC(2026, 10, 1, 4), Date.UTC(2026, 2, 8, 5)]) {
      for (const at of [midnight - 1, midnight]) await member({ invitedBy: boyet }, cuban, at);
    }
    expect([await registered("2026-10-31"), await registered("2026-11-01")]).toEqual([1, 1]);
    expect([await registered("2026-03-07"), await registered("2026-03-08")]).toEqual([1, 1]);
  });
});

function id<K extends IdKind>(kind: K) {
  return mintId(kind, clock.now(), entropy.bytes(16));
}

function member(
  given: Parameters<typeof makeMember>[2],
  brand = merchant,
  at = clock.now(),
): Promise<Session> {
  const deps = { pool: db.pool, ledger, clock: { now: () => at } };
  return makeMember(deps, brand, given);
}

function php(minor: string) {
  return money(BigInt(minor), "PHP");
}

function tier(from: string, activeMembers = 0, basisPoints = 100) {
  return { from: php(from), activeMembers, basisPoints };
}

function dividend(change: Partial<GivenOffer> = {}): GivenOffer {
  const tiers = [tier("0", 1, 2_000), tier("5000000", 5, 3_000)];
  const usual = { username: "boyet", kind: "dividend", period: "MONTH", tiers } as const;
  return { id: id("contract"), ...usual, ...change };
}

function daily(): GivenOffer {
  const tiers = [tier("100000", 3, 50)];
  return { id: id("contract"), username: "boyet", kind: "daily", tiers };
}

function hourly(change: Partial<GivenOffer> = {}): GivenOffer {
  const tiers = [{ from: php("10000"), activeMembers: 0, amount: php("50000") }];
  return { id: id("contract"), username: "boyet", kind: "hourly", tiers, ...change };
}

/** Offered by the one and accepted by the other. */
async function holds(given: GivenOffer): Promise<void> {
  taken(await agents.offer(merchant, linda, given));
  taken(await agents.accept(merchant, boyet, given.id));
}

/** The contract's answer to a call of an agent. */
async function ask(
  key: keyof typeof agentCalls,
  session: Session,
  query: object = {},
): Promise<Said<unknown>> {
  const route: (given: never) => Said<unknown> | Promise<Said<unknown>> = agentRoutes(
    agents,
    clock,
  )[key];
  // These handlers read nothing else.
  return route({ merchant, session, query } as never);
}

const REQUESTS = {
  daily: "GET /api/v1/agent/contract-requests/daily-salary",
  hourly: "GET /api/v1/agent/contract-requests/hourly-salary",
  dividend: "GET /api/v1/agent/contract-requests/dividend",
} as const;

/** As the calls show it to the agent, with the state of the day. */
async function listed(kind: ContractKind): Promise<OnWire<ContractReply>[]> {
  const { reply } = agentCalls[REQUESTS[kind]];
  const read = reply.parse(taken(await ask(REQUESTS[kind], boyet)));
  return JSON.parse(JSON.stringify(read.list, moneyReplacer));
}

async function loggedIn(who: Session, at: number, outcome: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO login_events (id, merchant_id, member_id, method, outcome, address, user_agent, at)
     VALUES ($1, $2, $3, 'password', $4, '', '', to_timestamp($5 / 1000.0))`,
    [id("loginEvent"), who.merchantId, who.memberId, outcome, at],
  );
}

async function played(who: Session, at: number): Promise<void> {
  const { lane, id: account } = accountOf(who.memberId, who.currency);
  await db.pool.query(
    `INSERT INTO vendor_rounds (lane, account_id, vendor, round_id, merchant_id, game_id, currency,
       stake_minor, state, opened_at)
     VALUES ($1, $2, 'BGS', $3, $4, 'color-game', 'PHP', 100, 'open', to_timestamp($5 / 1000.0))`,
    [lane, account, id("round"), who.merchantId, at],
  );
}

async function seen(who: Session, at: number, { ended = false } = {}): Promise<void> {
  await db.pool.query(
    `UPDATE sessions SET seen_at = t.at, ended_at = CASE WHEN $3 THEN t.at END
     FROM (SELECT to_timestamp($2 / 1000.0) AS at) AS t WHERE id = $1`,
    [who.id, at, ended],
  );
}
