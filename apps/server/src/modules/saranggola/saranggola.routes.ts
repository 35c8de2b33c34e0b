import { refusal } from "@perya/contract/refusal";
import type { saranggolaCalls } from "@perya/contract/saranggola";
import { toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import type { Routes } from "../identity/identity.ts";
import type { StoredBet } from "./flight-bet.ts";
import type { Saranggola } from "./saranggola.ts";

export function saranggolaRoutes(saranggola: Saranggola): Routes<typeof saranggolaCalls> {
  return {
    "POST /api/v1/saranggola/bets": async ({ merchant, session, body }) => {
      const bet = await saranggola.bet(merchant, session, body);
      return bet.ok ? ok(betReply(bet.value)) : bet;
    },

    "POST /api/v1/saranggola/cash-outs": async ({ session, body }) => {
      const bet = await saranggola.cashOut(session, body.betId);
      return bet.ok ? ok(betReply(bet.value)) : bet;
    },

    "GET /api/v1/saranggola/bets/mine": async ({ session }) =>
      ok({ bets: (await saranggola.betsOf(session)).map(betReply) }),

    "GET /api/v1/saranggola/chains": async () =>
      ok({ chains: await saranggola.flights.chains.latest() }),

    "GET /api/v1/saranggola/rounds/{id}": async ({ params }) => {
      const flight = await saranggola.flights.chains.finished(params.id);
      return flight === null ? refuse(refusal("not_found")) : ok(flight);
    },
  };
}

function betReply(bet: StoredBet) {
  return { ...bet, stake: toWire(bet.stake), payout: toWire(bet.payout) };
}
