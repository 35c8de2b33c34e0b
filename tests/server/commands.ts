import type pg from "pg";
import { vi } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import type { Body, CommandKey } from "../../packages/client/src/api.ts";
import { freshId } from "../../packages/client/src/ids.ts";
import { LOTTERIES } from "../../packages/games/src/lottery-games.ts";
import { present } from "../../packages/kernel/src/assert.ts";
import { openCaptchaReader } from "./captcha-reader.ts";

/** The player of the demo brand who sends a command. */
export interface Sender {
  readonly id: string;
  readonly username: string;
  readonly pool: pg.Pool;
  /** Sends the calls that must come before. */
  send<K extends CommandKey>(key: K, body: Body<K>): Promise<unknown>;
}

export interface Command<K extends CommandKey> {
  /** The demo player who sends it; maria by default. */
  readonly who?: "linda";
  /** A body that the server accepts, with a new id. */
  body(sender: Sender): Promise<Body<K>>;
  /** The rows that it creates or ends; `$1` is the player, `$2` their wallet. */
  readonly effects: string;
}

const PESOS = { minor: "10000", currency: "PHP" } as const;
const STAKE = { minor: "1000", currency: "PHP" } as const;

/** Every command that a browser sends as an intention. */
export const COMMANDS: { readonly [K in CommandKey]: Command<K> } = {
  "POST /api/v1/rounds": {
    body: async () => ({
      id: freshId("round"),
      gameId: "color-game",
      choices: { bets: { red: "1000" } },
    }),
    effects: "SELECT 1 FROM house_rounds WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/saranggola/bets": {
    body: async (sender) => ({ ...(await kiteBet(sender)), autoCashOut: 200 }),
    effects: "SELECT 1 FROM saranggola_bets WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/saranggola/cash-outs": {
    body: async (sender) => {
      const bet = await kiteBet(sender, 120);
      await sender.send("POST /api/v1/saranggola/bets", bet);
      await firstId(
        sender,
        `SELECT id FROM saranggola_rounds
         WHERE id = $1 AND phase = 'flying' AND starts_at < now() - interval '1 s'`,
        [bet.roundId],
      );
      return { betId: bet.id };
    },
    effects: `SELECT 1 FROM saranggola_bets
              WHERE account_id = $2 AND $1 <> '' AND state = 'cashed' AND auto_cash_out IS NULL`,
  },
  "POST /api/v1/cockfight/bets": {
    body: async (sender) => ({
      id: freshId("bet"),
      matchId: await firstId(
        sender,
        `SELECT id FROM cockfight_matches
         WHERE phase = 'betting' AND closes_at > now() + interval '5 s'`,
      ),
      side: "meron",
      stake: STAKE,
    }),
    effects: "SELECT 1 FROM cockfight_bets WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/lottery/tickets": {
    body: async (sender) => {
      const games = LOTTERIES.filter(({ kind }) => kind === "3d").map(({ gameId }) => gameId);
      const sql = `SELECT id FROM lottery_draws WHERE state = 'open' AND game_id = ANY($1)
                   ORDER BY draws_at DESC LIMIT 1`;
      return {
        id: freshId("bet"),
        drawId: await firstId(sender, sql, [games]),
        lines: [{ play: "straight", numbers: [4, 5, 6] }],
        lineStake: STAKE,
      };
    },
    effects: "SELECT 1 FROM lottery_tickets WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/sports/bets": {
    body: sportsBet,
    effects: "SELECT 1 FROM sports_bets WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/sports/cash-outs": {
    body: async (sender) => {
      const bet = await sportsBet(sender);
      await sender.send("POST /api/v1/sports/bets", bet);
      return { betId: bet.id, amount: { minor: "1", currency: "PHP" } };
    },
    effects: "SELECT 1 FROM sports_bets WHERE account_id = $2 AND $1 <> '' AND state = 'cashed'",
  },
  "POST /api/v1/cashier/deposits": {
    body: async () => ({ id: freshId("deposit"), method: "gwallet", amount: PESOS }),
    effects: "SELECT 1 FROM deposits WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/cashier/withdrawals": {
    body: async () => ({
      id: freshId("withdrawal"),
      method: "gwallet",
      destination: "09171234567",
      amount: PESOS,
    }),
    effects: "SELECT 1 FROM withdrawals WHERE account_id = $2 AND $1 <> ''",
  },
  "POST /api/v1/red-rain/catches": {
    // A coming rain, or the one that a test made fall: a planned rain may be over any moment.
    body: async (sender) => ({
      id: freshId("catch"),
      rainId: await firstId(
        sender,
        `UPDATE red_rains
         SET starts_at = now() - interval '1 s', ends_at = now() + interval '1 minute'
         WHERE id = (SELECT id FROM red_rains WHERE merchant_id = 'mer_demo'
                       AND ends_at > now() + interval '10 s'
                       AND (starts_at > now() OR ends_at - starts_at > interval '1 minute')
                     ORDER BY starts_at LIMIT 1)
         RETURNING id`,
      ),
    }),
    effects: "SELECT 1 FROM red_packets WHERE member_id = $1 AND $2 <> ''",
  },
  "POST /api/v1/promotions/applications": {
    who: "linda",
    body: async (sender) => {
      const sql = `SELECT id FROM announcements WHERE takes_applications
        AND id NOT IN (SELECT promotion_id FROM promotion_applications WHERE state = 'pending')`;
      const promotionId = await firstId(sender, sql);
      return { id: freshId("application"), promotionId, remark: "Salamat po", images: [] };
    },
    effects: "SELECT 1 FROM promotion_applications WHERE member_id = $1 AND $2 <> ''",
  },
  "PUT /api/v1/feedback": {
    body: async ({ pool, username }) => {
      const reader = openCaptchaReader(pool, systemClock, systemEntropy);
      const { captchaId, captcha } = await reader.read("mer_demo");
      const word = { sender: username, type: 0, content: "Ang saya ng perya!" } as const;
      return { id: freshId("feedback"), ...word, captchaId, captcha };
    },
    effects: "SELECT 1 FROM feedback WHERE member_id = $1 AND $2 <> ''",
  },
  "POST /api/v1/agent/contract-offers": {
    who: "linda",
    body: async ({ pool }) => {
      await pool.query(
        `UPDATE agent_contracts SET state = 'withdrawn', decided_at = now()
         WHERE state = 'pending'`,
      );
      const from = { minor: "500000", currency: "PHP" } as const;
      const tiers = [{ from, activeMembers: 2, basisPoints: 30 }];
      return { id: freshId("contract"), username: "boyet", kind: "daily", tiers };
    },
    effects: "SELECT 1 FROM agent_contracts WHERE upline_id = $1 AND $2 <> ''",
  },
};

/** A bet on a waiting flight that crashes at `crashAt` hundredths or later. */
async function kiteBet(sender: Sender, crashAt = 100) {
  const roundId = await firstId(
    sender,
    `SELECT id FROM saranggola_rounds r WHERE phase = 'waiting' AND crash_at >= $2
     AND NOT EXISTS (SELECT FROM saranggola_bets WHERE round_id = r.id AND member_id = $1)`,
    [sender.id, crashAt],
  );
  return { id: freshId("bet"), roundId, stake: STAKE, autoCashOut: null };
}

/** A bet on the last planned match, which does not begin meanwhile. */
async function sportsBet(sender: Sender): Promise<Body<"POST /api/v1/sports/bets">> {
  const sql = "SELECT id FROM sports_fixtures WHERE state = 'open' ORDER BY starts_at DESC LIMIT 1";
  const fixtureId = await firstId(sender, sql);
  const leg = { fixtureId, market: "result", selection: "home", odds: 1_010 } as const;
  return { id: freshId("bet"), legs: [leg], stake: STAKE, accept: "any" };
}

/** The first row's id, as soon as there is one. */
function firstId({ pool }: Sender, sql: string, values: readonly unknown[] = []): Promise<string> {
  return vi.waitFor(
    async () => {
      const { rows } = await pool.query<{ id: string }>(sql, [...values]);
      return present(rows[0], "a row").id;
    },
    { timeout: 200_000, interval: 50 },
  );
}
