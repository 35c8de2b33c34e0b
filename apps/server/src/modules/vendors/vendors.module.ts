import { eachByItself } from "../../platform/each-by-itself.ts";
import type { Metrics } from "../../platform/http/metrics.ts";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Brands } from "../brand/brand.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { GameReturns } from "./game-returns.ts";
import { heldWinRoutes } from "./held-wins.routes.ts";
import { HeldWins } from "./held-wins.ts";
import { peryaProtocol } from "./perya-protocol.ts";
import { VendorConnections } from "./vendor-connections.ts";
import { accessOf, serveProtocols } from "./vendor-protocol.ts";
import { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";
import { VendorSessions, type VendorSessionsOptions } from "./vendor-sessions.ts";
import { vendorRoutes } from "./vendors.routes.ts";
import { vendorWalletRoutes } from "./wallet-calls.routes.ts";

export interface VendorsModuleOptions
  extends ModuleParts,
    Omit<VendorSessionsOptions, "onAlarm" | "playUrl"> {
  readonly ledger: Ledger;
  readonly brands: Brands;
  readonly metrics: Pick<Metrics, "vendorAlarms" | "gamesBeyond">;
}

export type VendorsModule = ReturnType<typeof vendorsModule>;

export function vendorsModule(options: VendorsModuleOptions) {
  const { config, pool, clock, log, ledger, brands, metrics } = options;
  const connections = new VendorConnections({ pool, clock, log, secret: config.sessionSecret });
  const sessions = new VendorSessions({
    ...options,
    playUrl: (vendor, launch) => connections.playUrl(vendor, launch),
    onAlarm: (what, about) => {
      metrics.vendorAlarms.inc({ what });
      log.error(about, what);
    },
  });
  const house = { connections, sessions, clock };
  const returns = new GameReturns(pool, clock, () => brands.all());
  return {
    ...{ connections, launch: sessions.launch.bind(sessions) },
    calls: {
      ...vendorRoutes(pool, clock),
      ...vendorWalletRoutes(accessOf(peryaProtocol, house)),
      ...heldWinRoutes(new HeldWins(pool, ledger, clock)),
    },
    tasks: {
      vendors_watch: () => watchReturns(returns, options),
      vendors_sweep: () =>
        eachByItself({
          plays: () => sessions.sweep(),
          days: () => returns.sweep(),
          secrets: () => connections.sweep(),
        }),
    },
    pages: (app) => serveProtocols(app, VENDOR_PROTOCOLS, house),
    prepare: () => connections.refresh(),
    start: () => connections.watch(),
    stop: async () => connections.stopWatching(),
    schedule: { vendors_watch: "*/5 * * * *", vendors_sweep: "20 4 * * *" },
  } satisfies ServerModule;
}

async function watchReturns(returns: GameReturns, { metrics, log }: VendorsModuleOptions) {
  const alarms = await returns.beyond();
  metrics.gamesBeyond.reset();
  for (const { brand, vendor, game_id: gameId, bets, basis_points: basisPoints } of alarms) {
    metrics.gamesBeyond.set({ brand, vendor, game: gameId }, Number(basisPoints) / 10_000);
    const about = { brand, vendor, gameId, bets: `${bets}`, basisPoints: `${basisPoints}` };
    log.error(about, "a game gives back more than its bound");
  }
}
