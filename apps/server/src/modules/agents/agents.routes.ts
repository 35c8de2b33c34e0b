import type { agentCalls, ContractKind, ContractReply } from "@perya/contract/agents";
import type { OnWire } from "@perya/contract/wire";
import { businessDay, type Clock } from "@perya/kernel/instant";
import { money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import type { Merchant } from "../brand/brand.ts";
import type { Routes, Session } from "../identity/identity.ts";
import type { Contract } from "./agents.store.ts";
import type { Agents } from "./agents.ts";

export function agentRoutes(agents: Agents, clock: Clock): Routes<typeof agentCalls> {
  const today = (merchant: Merchant) => businessDay(clock.now(), merchant.zone);
  const requests =
    (kind: ContractKind) =>
    async ({ merchant, session }: { merchant: Merchant; session: Session }) => {
      const contracts = await agents.contracts(merchant, session, kind);
      return ok({ list: contracts.map((one) => contractReply(one, today(merchant))) });
    };
  const decision =
    (decide: "accept" | "decline" | "withdraw") =>
    async (given: { merchant: Merchant; session: Session; body: { contractId: string } }) => {
      const { merchant, session, body } = given;
      const decided = await agents[decide](merchant, session, body.contractId);
      return decided.ok ? ok(contractReply(decided.value, today(merchant))) : decided;
    };
  return {
    "GET /api/v1/agent/contract-info": async ({ session }) => {
      const { daily, hourly, dividend } = await agents.requirements(session);
      return ok({
        dailysalreqtype: daily ? "TURNOVER" : "",
        divtypecompperiodreq: dividend ?? "",
        contracthoursalreq: hourly ? "AMOUNT" : "",
      });
    },

    "GET /api/v1/agent/contract-requests/daily-salary": requests("daily"),
    "GET /api/v1/agent/contract-requests/hourly-salary": requests("hourly"),
    "GET /api/v1/agent/contract-requests/dividend": requests("dividend"),
    "POST /api/v1/agent/contract-requests/accept": decision("accept"),
    "POST /api/v1/agent/contract-requests/decline": decision("decline"),
    "POST /api/v1/agent/contract-offers/withdraw": decision("withdraw"),

    "POST /api/v1/agent/contract-offers": async ({ merchant, session, body }) => {
      const offered = await agents.offer(merchant, session, body);
      return offered.ok ? ok(contractReply(offered.value, today(merchant))) : offered;
    },

    "GET /api/v1/agent/team-kpi": async ({ merchant, session, query }) => {
      const days = { from: query.startDate, to: query.endDate };
      const counted = await agents.teamCounts(merchant, session, days);
      if (!counted.ok) return counted;
      const { loggedIn, betted, registered, online } = counted.value;
      return ok({
        footer: {
          teamLoginMemberCount: loggedIn,
          teamBetMemberCount: betted,
          teamRegisterMemberCount: registered,
          teamOnlineCount: online,
        },
      });
    },
  };
}

function contractReply(contract: Contract, today: string): OnWire<ContractReply> {
  const { tiers, currency, downlineId: _downlineId, ...rest } = contract;
  const wire = (minor: bigint) => toWire(money(minor, currency));
  return {
    ...rest,
    tiers: tiers.map(({ fromMinor, activeMembers, basisPoints, amountMinor }) => ({
      from: wire(fromMinor),
      activeMembers,
      basisPoints,
      amount: amountMinor === null ? null : wire(amountMinor),
    })),
    state: stateOn(today, contract),
  };
}

function stateOn(day: string, { state, startsOn, endsOn }: Contract): ContractReply["state"] {
  if (state !== "accepted" || startsOn === null) return state;
  if (endsOn !== null && endsOn <= day) return "ended";
  if (startsOn > day) return endsOn === startsOn ? "ended" : "accepted";
  return "in_force";
}
