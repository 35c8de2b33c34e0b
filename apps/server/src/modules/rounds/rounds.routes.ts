import { refusal } from "@perya/contract/refusal";
import type { roundCalls } from "@perya/contract/rounds";
import { type Currency, money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import type { Routes } from "../identity/identity.ts";
import type { HouseRound, Rounds, SeedInUse } from "./rounds.ts";
import type { Saranggola, StoredBet } from "./saranggola.ts";

type RoundsCalls = Omit<typeof roundCalls, "GET /api/v1/game-records">;

export function roundRoutes(rounds: Rounds, saranggola: Saranggola): Routes<RoundsCalls> {
  return {
    "POST /api/v1/rounds": async ({ merchant, session, body }) => {
      const { id, gameId, choices } = body;
      const played = await rounds.play(merchant, session, { roundId: id, gameId, choices });
      if (!played.ok) return played;
      const { round, available, version } = played.value;
      return ok({
        round: roundReply(round, session.currency),
        available: toWire(money(available, session.currency)),
        walletVersion: Number(version),
      });
    },

    "GET /api/v1/rounds/last": async ({ session, query }) => {
      const round = await rounds.last(session, query.gameId);
      return ok({ round: round === null ? null : roundReply(round, session.currency) });
    },

    "GET /api/v1/rounds/{id}": async ({ session, params }) => {
      const round = await rounds.find(session, params.id);
      if (round === null) return refuse(refusal("not_found"));
      return ok(roundReply(round, session.currency));
    },

    "GET /api/v1/fairness/seed": async ({ session }) => ok(seedReply(await rounds.seed(session))),

    "POST /api/v1/fairness/seed": async ({ session, body }) => {
      const { next = null, ...given } = body;
      const replaced = await rounds.replaceSeed(session, { ...given, next });
      if (!replaced.ok) return replaced;
      const { revealed, ...inUse } = replaced.value;
      return ok({
        current: seedReply(inUse),
        revealed: {
          seedId: revealed.id,
          serverSeed: revealed.server_seed,
          serverSeedHash: revealed.seed_hash,
          clientSeed: revealed.client_seed,
          rounds: revealed.rounds,
        },
      });
    },

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

    "GET /api/v1/saranggola/chains": async () => ok({ chains: await saranggola.chains() }),

    "GET /api/v1/saranggola/rounds/{id}": async ({ params }) => {
      const flight = await saranggola.finished(params.id);
      return flight === null ? refuse(refusal("not_found")) : ok(flight);
    },
  };
}

function roundReply(round: HouseRound, currency: Currency) {
  return {
    id: round.round_id,
    // The column is written from the same list that the contract names.
    gameId: round.game_id as "parol-fortune" | "color-game",
    state: "settled" as const,
    stake: toWire(money(round.stake_minor, currency)),
    payout: toWire(money(round.payout_minor, currency)),
    choices: { ...round.choices },
    outcome: round.outcome,
    fairness: {
      seedId: round.seed_id,
      serverSeedHash: round.seed_hash,
      serverSeed: round.server_seed,
      clientSeed: round.client_seed,
      nonce: Number(round.nonce),
    },
    openedAt: round.opened_at.getTime(),
    settledAt: round.settled_at.getTime(),
  };
}

function seedReply({ current, next }: SeedInUse) {
  return {
    seedId: current.id,
    serverSeedHash: current.seed_hash,
    clientSeed: current.client_seed,
    chosenBy: current.chosen_by,
    nextNonce: Number(current.next_nonce),
    next: { seedId: next.id, serverSeedHash: next.seed_hash },
  };
}

function betReply(bet: StoredBet) {
  return {
    id: bet.id,
    roundId: bet.roundId,
    stake: toWire(bet.stake),
    shownAs: bet.shownAs,
    autoCashOut: bet.autoCashOut,
    cashedOutAt: bet.cashedOutAt,
    payout: toWire(bet.payout),
    state: bet.state,
  };
}
