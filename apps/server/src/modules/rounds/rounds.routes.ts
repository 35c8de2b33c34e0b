import { refusal } from "@perya/contract/refusal";
import type { roundCalls } from "@perya/contract/rounds";
import type { SoloGameId } from "@perya/games/solo-games";
import { type Currency, money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import type { Routes } from "../identity/identity.ts";
import type { HouseRound, Rounds, SeedInUse } from "./rounds.ts";

type RoundsCalls = Omit<typeof roundCalls, "GET /api/v1/game-records">;

export function roundRoutes(rounds: Rounds): Routes<RoundsCalls> {
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
  };
}

function roundReply(round: HouseRound, currency: Currency) {
  return {
    id: round.round_id,
    // The column is written from the same list that the contract names.
    gameId: round.game_id as SoloGameId,
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
