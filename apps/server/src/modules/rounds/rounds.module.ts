import { money, toWire } from "@perya/kernel/money";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Merchant } from "../brand/brand.ts";
import { maskName } from "../vendors/vendors.ts";
import { roundRoutes } from "./rounds.routes.ts";
import { type BigWin, Rounds, type RoundsOptions } from "./rounds.ts";

export interface RoundsModuleOptions extends ModuleParts, RoundsOptions {
  /** How a brand's catalogue shows a game; null if the brand does not have it. */
  readonly shownGame: (
    merchant: Merchant,
    gameId: BigWin["gameId"],
  ) => Promise<{ readonly name: string; readonly node_id: number } | null>;
}

export function roundsModule(options: RoundsModuleOptions) {
  const { log, clock, publish, shownGame } = options;
  const rounds = new Rounds(options);
  const tellWin = async ({ merchant, session, gameId, payoutMinor, at }: BigWin) => {
    const game = await shownGame(merchant, gameId);
    if (game === null) return;
    const event = {
      type: "win",
      account: maskName(session.username),
      gameName: game.name,
      nodeId: game.node_id,
      payout: toWire(money(payoutMinor, session.currency)),
      at,
    };
    publish("winners", merchant.id, { version: at, after: 0, event });
  };
  rounds.onWin((win) => void tellWin(win).catch((error) => log.warn({ err: error }, "winner")));
  return {
    ...{ rounds },
    calls: roundRoutes(rounds),
    channels: { winners: async () => ({ version: clock.now(), data: {} }) },
  } satisfies ServerModule;
}
