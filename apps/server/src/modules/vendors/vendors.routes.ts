import { refusal } from "@perya/contract/refusal";
import type { vendorCalls } from "@perya/contract/vendors";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { currencyOf, money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import type pg from "pg";
import {
  decodeCursor,
  encodeCursor,
  isCursorId,
  isCursorInstant,
  isPositionOf,
} from "../../platform/http/cursor.ts";
import { PreparedReply } from "../../platform/http/handlers.ts";
import { maskName } from "../../platform/mask-name.ts";
import { createSharedReads } from "../../platform/shared-reads.ts";
import { isOn } from "../brand/brand.ts";
import type { Routes } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import { readRecords, readWins, type Win } from "./vendors.store.ts";

const WINS_LISTED = 12;
/** The list is the same for everyone; once in five seconds is fresh enough for a ticker. */
const WINS_CACHE_MS = 5 * SECOND_MS;

const isPosition = isPositionOf({ at: isCursorInstant, roundId: isCursorId });

export function vendorRoutes(pool: pg.Pool, clock: Clock): Routes<typeof vendorCalls> {
  const wins = createSharedReads(clock, WINS_CACHE_MS);
  return {
    "GET /api/v1/game-records": async ({ merchant, session, query }) => {
      // A game's own history belongs to the game; the whole record is a report that may be off.
      if (query.gameId === undefined && !isOn(merchant, "TRANSBETREPMEM3")) {
        return refuse(refusal("feature_off"));
      }
      const before = decodeCursor(query.cursor, isPosition);
      if (!before.ok) return before;
      const account = accountOf(session.memberId, session.currency);
      const page = { before: before.value, limit: query.limit };
      const found = await readRecords(pool, account, page, query.gameId ?? null);
      return ok({
        items: found.rounds.map((row) => ({
          id: row.round_id,
          vendor: row.vendor,
          gameId: row.game_id,
          gameName: row.game_name ?? row.game_id,
          state: row.state,
          stake: toWire(money(row.stake_minor, session.currency)),
          payout: toWire(money(row.payout_minor, session.currency)),
          at: row.opened_at.getTime(),
        })),
        nextCursor: found.nextBefore === null ? null : encodeCursor(found.nextBefore),
      });
    },

    "GET /api/v1/winners": async ({ merchant }) => {
      const make = async () => {
        const typesOff = isOn(merchant, "COCKFIGHT") ? [] : ["COCKFIGHT"];
        const list = await readWins(pool, merchant.id, WINS_LISTED, typesOff);
        return new PreparedReply({ list: list.map(winReply) });
      };
      return ok(await wins(merchant.id, make));
    },
  };
}

function winReply(win: Win) {
  return {
    account: maskName(win.username),
    gameName: win.game_name,
    nodeId: win.node_id,
    payout: toWire(money(win.payout_minor, currencyOf(win.currency))),
    at: win.settled_at.getTime(),
  };
}
