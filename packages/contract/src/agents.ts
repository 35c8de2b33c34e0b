import { z } from "zod";
import { call } from "./call.ts";
import {
  dayWire,
  givenMoneyWire,
  idWire,
  instantWire,
  moneyWire,
  positiveMoneyWire,
  shownLine,
} from "./wire.ts";

/** What an upline may promise a downline agent. */
const CONTRACT_KINDS = ["daily", "hourly", "dividend"] as const;
export type ContractKind = (typeof CONTRACT_KINDS)[number];

/** The period of a dividend; half a month ends on the 15th and on the last day. */
export const DIVIDEND_PERIODS = ["WEEK", "HALF_MONTH", "MONTH"] as const;

const TIERS_MAX = 10;
/** 10,000 basis points are the whole. */
const BASIS_POINTS_MAX = 10_000;
const ACTIVE_MEMBERS_MAX = 100_000;

const kind = z.enum(CONTRACT_KINDS);
const period = z.enum(DIVIDEND_PERIODS);
const basisPoints = z.number().int().min(1).max(BASIS_POINTS_MAX);
const activeMembers = z.number().int().min(0).max(ACTIVE_MEMBERS_MAX);

const contract = z.object({
  id: idWire("contract"),
  kind,
  /** Null except for dividends. */
  period: period.nullable(),
  /**
   * In rising order; the highest tier that the team reaches counts. A daily salary is a share of
   * the day's turnover. An hourly salary is an amount, from an hour's turnover on. A dividend is a
   * share of what the team lost in the period.
   */
  tiers: z.array(
    z.object({
      from: moneyWire,
      activeMembers,
      /** Null for hourly salaries. */
      basisPoints: basisPoints.nullable(),
      /** Null except for hourly salaries. */
      amount: moneyWire.nullable(),
    }),
  ),
  /** The names by which the two know each other. */
  upline: z.string(),
  downline: z.string(),
  /** `accepted` starts later, `in_force` holds today, `ended` is over. */
  state: z.enum(["pending", "accepted", "in_force", "ended", "declined", "withdrawn"]),
  offeredAt: instantWire,
  decidedAt: instantWire.nullable(),
  /** The first day of the contract, and the first day on which it no longer holds. */
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
    summary:
      "Contracts that wait for the caller's answer: per kind the type of its terms, or empty",
    callers,
    reply: z.object({
      /** A daily salary is always a share of the turnover. */
      dailysalreqtype: z.enum(["", "TURNOVER"]),
      divtypecompperiodreq: z.enum(["", ...DIVIDEND_PERIODS]),
      /** An hourly salary is always an amount. */
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
      username: shownLine.min(1).max(64),
      kind,
      period: period.optional(),
      tiers: z
        .array(
          z.strictObject({
            from: givenMoneyWire,
            activeMembers,
            basisPoints: basisPoints.optional(),
            amount: positiveMoneyWire.optional(),
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
      /** The page size of listed members: 0, since the footer needs only the team's sums. */
      size: z.literal("0").default("0"),
    }),
    reply: z.object({
      footer: z.object({
        teamLoginMemberCount: count,
        teamBetMemberCount: count,
        teamRegisterMemberCount: count,
        /** The count at this moment, independent of the chosen days. */
        teamOnlineCount: count,
      }),
    }),
  }),
} as const;
