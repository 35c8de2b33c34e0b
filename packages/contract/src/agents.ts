import { z } from "zod";
import { call } from "./call.ts";
import { currencyWire, dayWire, idWire, instantWire, moneyWire, shownLine } from "./wire.ts";

/** What an agent may be promised by the one above them. */
const CONTRACT_KINDS = ["daily", "hourly", "dividend"] as const;
export type ContractKind = (typeof CONTRACT_KINDS)[number];

/** Over what a dividend is reckoned; half a month ends on the 15th and on the last. */
export const DIVIDEND_PERIODS = ["WEEK", "HALF_MONTH", "MONTH"] as const;

const TIERS_MAX = 10;
/** 10,000 are the whole. */
const BASIS_POINTS_MAX = 10_000;
const ACTIVE_MEMBERS_MAX = 100_000;

const kind = z.enum(CONTRACT_KINDS);
const period = z.enum(DIVIDEND_PERIODS);
const basisPoints = z.number().int().min(1).max(BASIS_POINTS_MAX);
const activeMembers = z.number().int().min(0).max(ACTIVE_MEMBERS_MAX);
const amount = (digits: RegExp) =>
  z.strictObject({ minor: z.string().regex(digits), currency: currencyWire });

const contract = z.object({
  id: idWire("contract"),
  kind,
  /** Of dividends alone. */
  period: period.nullable(),
  /**
   * Rising; the highest one that the team reaches counts. Daily salary: from a day's turnover on,
   * a share of it. Hourly salary: from an hour's turnover on, an amount. Dividend: from what the
   * team lost in the period on, a share of it.
   */
  tiers: z.array(
    z.object({
      from: moneyWire,
      activeMembers,
      /** Null for hourly salaries. */
      basisPoints: basisPoints.nullable(),
      /** Of hourly salaries alone. */
      amount: moneyWire.nullable(),
    }),
  ),
  /** By the names that the two know each other by. */
  upline: z.string(),
  downline: z.string(),
  /** Accepted is not yet, in force is today, ended was. */
  state: z.enum(["pending", "accepted", "in_force", "ended", "declined", "withdrawn"]),
  offeredAt: instantWire,
  decidedAt: instantWire.nullable(),
  /** Its first day, and the first that it no longer holds on. */
  startsOn: dayWire.nullable(),
  endsOn: dayWire.nullable(),
});
export type ContractReply = z.output<typeof contract>;

const callers = ["agent"] as const;
const requests = (what: string) =>
  call({
    summary: `The ${what} contracts offered to the caller: what waits or holds first, then newest`,
    callers,
    reply: z.object({ list: z.array(contract) }),
  });
const decision = (summary: string) =>
  call({
    summary,
    callers,
    body: z.strictObject({ contractId: idWire("contract") }),
    reply: contract,
    refusals: ["not_found", "wrong_state"],
  });

const count = z.number().int().min(0);

export const agentCalls = {
  "GET /api/v1/agent/contract-info": call({
    summary: "What waits for the caller's word: of each kind of contract its terms' type, or empty",
    callers,
    reply: z.object({
      /** A daily salary is a share of the turnover. */
      dailysalreqtype: z.enum(["", "TURNOVER"]),
      divtypecompperiodreq: z.enum(["", ...DIVIDEND_PERIODS]),
      /** An hourly salary is an amount. */
      contracthoursalreq: z.enum(["", "AMOUNT"]),
    }),
  }),
  "GET /api/v1/agent/contract-requests/daily-salary": requests("daily salary"),
  "GET /api/v1/agent/contract-requests/hourly-salary": requests("hourly salary"),
  "GET /api/v1/agent/contract-requests/dividend": requests("dividend"),
  "POST /api/v1/agent/contract-requests/accept": decision(
    "Accept a contract, which holds from the brand's next day on and ends the one before it",
  ),
  "POST /api/v1/agent/contract-requests/decline": decision("Decline a contract"),
  "POST /api/v1/agent/contract-offers": call({
    summary: "Offer a contract to an agent right below the caller; one id is one offer",
    callers,
    body: z.strictObject({
      id: idWire("contract"),
      /** The agent's. */
      username: shownLine.min(1).max(64),
      kind,
      period: period.optional(),
      tiers: z
        .array(
          z.strictObject({
            from: amount(/^(?:0|[1-9]\d{0,14})$/),
            activeMembers,
            basisPoints: basisPoints.optional(),
            amount: amount(/^[1-9]\d{0,14}$/).optional(),
          }),
        )
        .min(1)
        .max(TIERS_MAX),
    }),
    reply: contract,
    refusals: ["user_missing", "too_many_open", "id_reused"],
    rate: { max: 60, windowMs: 60 * 60_000 },
  }),
  "POST /api/v1/agent/contract-offers/withdraw": decision("Take an offer back that still waits"),
  "GET /api/v1/agent/team-kpi": call({
    summary: "What the caller's whole team did, from one day of the brand's to another",
    callers,
    query: z.object({
      startDate: dayWire,
      endDate: dayWire,
      /** Of members listed: none, the team's sums stand in the footer. */
      size: z.literal("0").default("0"),
    }),
    reply: z.object({
      footer: z.object({
        teamLoginMemberCount: count,
        teamBetMemberCount: count,
        teamRegisterMemberCount: count,
        /** Now, whatever the days are. */
        teamOnlineCount: count,
      }),
    }),
  }),
} as const;
