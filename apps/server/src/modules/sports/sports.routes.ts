import type { SportsBet, sportsCalls } from "@perya/contract/sports";
import type { OnWire } from "@perya/contract/wire";
import { combinedOdds } from "@perya/games/sports";
import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import { money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import { decodeCursor, isIdPosition, isTimePosition, paged } from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import { accountOfWager } from "../rounds/rounds.ts";
import { type BetOfFixtures, legState, worthOf } from "./bet-worth.ts";
import { fixtureReply, matchNow } from "./match-now.ts";
import type { FixtureRow } from "./sports.store.ts";
import type { Sports } from "./sports.ts";
import type { SportsBoard } from "./sports-board.ts";

export function sportsRoutes(sports: Sports, board: SportsBoard): Routes<typeof sportsCalls> {
  return {
    "GET /api/v1/sports/board": async () => ok((await board.snapshot()).data),

    "GET /api/v1/sports/results": async ({ query }) => {
      const before = decodeCursor(query.cursor, isTimePosition);
      if (!before.ok) return before;
      const rows = await sports.endedOf(query.sport, before.value?.at ?? null, query.limit + 1);
      const now = sports.told.now();
      const replyOf = (row: FixtureRow) => fixtureReply(row, now);
      return ok(paged(rows, query.limit, replyOf, (row) => ({ at: row.starts_at.getTime() })));
    },

    "POST /api/v1/sports/bets": async ({ merchant, session, body }) => {
      const placed = await sports.bet(merchant, session, body);
      return placed.ok ? ok(betReply(placed.value, sports.told.now())) : placed;
    },

    "GET /api/v1/sports/bets": async ({ session, query }) => {
      const before = decodeCursor(query.cursor, isIdPosition);
      if (!before.ok) return before;
      const page = { before: before.value?.id ?? null, limit: query.limit + 1 };
      const found = await sports.betsOf(session, page);
      const now = sports.told.now();
      const replyOf = (one: BetOfFixtures) => betReply(one, now);
      return ok(paged(found, query.limit, replyOf, ({ bet }) => ({ id: bet.id })));
    },

    "POST /api/v1/sports/cash-outs": async ({ session, body }) => {
      const sold = await sports.cashOut(session, body);
      return sold.ok ? ok(betReply(sold.value, sports.told.now())) : sold;
    },
  };
}

function betReply(of: BetOfFixtures, now: Instant): OnWire<SportsBet> {
  const { bet, fixtures } = of;
  const { currency } = accountOfWager(bet);
  const worth = worthOf(of, now);
  return {
    id: bet.id,
    sport: bet.sport,
    legs: bet.legs.map((leg) => {
      const fixture = present(fixtures.get(leg.fixtureId), "the fixture of a leg");
      const { phase, score } = matchNow(fixture, now);
      return {
        ...leg,
        ...{ home: fixture.home, away: fixture.away, startsAt: fixture.starts_at.getTime() },
        state: legState(leg, fixture),
        score: phase === "next" || fixture.state === "voided" ? null : score,
      };
    }),
    odds: combinedOdds(bet.legs.map(({ odds }) => odds)),
    stake: toWire(money(bet.stake_minor, currency)),
    potential: toWire(money(bet.potential_minor, currency)),
    payout: toWire(money(bet.payout_minor, currency)),
    state: bet.state,
    cashOut: worth.ok ? toWire(money(worth.value, currency)) : null,
    placedAt: bet.placed_at.getTime(),
  };
}
