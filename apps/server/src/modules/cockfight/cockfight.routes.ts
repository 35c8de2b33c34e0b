import type { CockfightBet, CockfightMatch, cockfightCalls } from "@perya/contract/cockfight";
import { refusal } from "@perya/contract/refusal";
import type { OnWire } from "@perya/contract/wire";
import { money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import type { Routes } from "../identity/identity.ts";
import { accountOfWager } from "../rounds/rounds.ts";
import type { BetRow } from "./cockfight.store.ts";
import type { Cockfight, FinishedMatch } from "./cockfight.ts";

export function cockfightRoutes(cockfight: Cockfight): Routes<typeof cockfightCalls> {
  return {
    "POST /api/v1/cockfight/bets": async ({ merchant, session, body }) => {
      const bet = await cockfight.bet(merchant, session, body);
      return bet.ok ? ok(betReply(bet.value)) : bet;
    },

    // A player sees how their bets ended, also after the brand has switched the key off.
    "GET /api/v1/cockfight/bets/mine": async ({ session }) =>
      ok({ bets: (await cockfight.betsOf(session)).map(betReply) }),

    "GET /api/v1/cockfight/matches/{id}": async ({ merchant, params }) => {
      const found = await cockfight.finished(merchant, params.id);
      return found === null ? refuse(refusal("not_found")) : ok(matchReply(found));
    },
  };
}

function betReply(bet: BetRow): OnWire<CockfightBet> {
  const { currency } = accountOfWager(bet);
  return {
    id: bet.id,
    matchId: bet.match_id,
    number: Number(bet.number),
    side: bet.side,
    stake: toWire(money(bet.stake_minor, currency)),
    payout: toWire(money(bet.payout_minor, currency)),
    state: bet.state,
  };
}

function matchReply({ match, pools }: FinishedMatch): OnWire<CockfightMatch> {
  return {
    id: match.id,
    number: Number(match.number),
    seedHash: match.seed_hash,
    serverSeed: match.server_seed,
    result: match.result,
    closesAt: match.closes_at.getTime(),
    pools: [...pools],
  };
}
