import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { calls } from "@perya/contract/calls";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import own from "../package.json" with { type: "json" };
import { loadDemoBrand } from "./demo/demo.ts";
import { hotMatchesOf } from "./hot-matches.ts";
import { isTrialPlayed, memberWallets } from "./member-wallets.ts";
import { agentsModule } from "./modules/agents/agents.module.ts";
import { brandModule } from "./modules/brand/brand.module.ts";
import { isClosedTo, isOn, type Merchant } from "./modules/brand/brand.ts";
import { type CashierModule, cashierModule } from "./modules/cashier/cashier.module.ts";
import { catalogueModule } from "./modules/catalogue/catalogue.module.ts";
import type { Catalogue } from "./modules/catalogue/catalogue.ts";
import { cockfightModule } from "./modules/cockfight/cockfight.module.ts";
import { COCKFIGHT, COCKFIGHT_GAME } from "./modules/cockfight/cockfight.ts";
import { contentModule } from "./modules/content/content.module.ts";
import { identityModule } from "./modules/identity/identity.module.ts";
import type { Session } from "./modules/identity/identity.ts";
import { ledgerModule } from "./modules/ledger/ledger.module.ts";
import { accountOf } from "./modules/ledger/ledger.ts";
import { lotteryModule } from "./modules/lottery/lottery.module.ts";
import { operatorsModule } from "./modules/operators/operators.module.ts";
import { promotionsModule } from "./modules/promotions/promotions.module.ts";
import { redRainModule } from "./modules/red-rain/red-rain.module.ts";
import { REDRAIN } from "./modules/red-rain/red-rain.ts";
import { roundsModule } from "./modules/rounds/rounds.module.ts";
import type { PlayRefusal } from "./modules/rounds/rounds.ts";
import { saranggolaModule } from "./modules/saranggola/saranggola.module.ts";
import { isFlight } from "./modules/saranggola/saranggola.ts";
import { sportsModule } from "./modules/sports/sports.module.ts";
import { type VendorsModule, vendorsModule } from "./modules/vendors/vendors.module.ts";
import { originOf } from "./modules/vendors/vendors.ts";
import { createParts, type Parts, type ServerDependencies } from "./parts.ts";
import { createHttpServer, serveCalls } from "./platform/http/call-server.ts";
import { serveDocs } from "./platform/http/docs.ts";
import { createDrain } from "./platform/http/drain.ts";
import { takeFreePlay } from "./platform/http/free-play.ts";
import type { CallServerOptions, Handlers } from "./platform/http/handlers.ts";
import { serveHealth } from "./platform/http/health.ts";
import { buildVersion, servePages } from "./platform/http/pages.ts";
import { joined } from "./platform/server-module.ts";
import { signingKey } from "./platform/signing-key.ts";
import type { Live } from "./platform/sockets/live.ts";
import { createLive } from "./player-sockets.ts";
import { type Server, serverLife } from "./server-life.ts";
import { simulatorModule } from "./simulator/simulator-module.ts";
import { sitePages } from "./site-pages.ts";

export type { ServerDependencies } from "./parts.ts";
export type { Server } from "./server-life.ts";

/** Wires every dependency by hand; the one place that knows all rooms of the server. */
export async function buildServer(deps: ServerDependencies): Promise<Server> {
  const parts = await createParts(deps, {
    tell: (channel, owner, event) => live.tell(channel, owner, event),
    publish: (channel, owner, event) => live.publish(channel, owner, event),
    giveWay: () => {
      // The database gives numbers and versions again that browsers have already seen.
      for (const { giveWay } of brought.list) giveWay?.();
      live.callBack();
    },
  });
  const { config, pool, brands, clock, ledger, log } = parts;
  const modules = createModules(parts);
  const brought = joined(modules);
  const live: Live = createLive(parts, modules.identity.sessions, brought.channels);
  const options = callOptions(parts, modules);
  const app = await createHttpServer(options);
  const drain = createDrain(app, config.stopGraceMs);
  const handlers: Handlers<typeof calls, Merchant, Session> = brought.calls;
  serveCalls(app, calls, handlers, options);
  for (const { pages } of brought.list) pages?.(app);
  const folder = playFolder();
  const version = buildVersion(folder, own.version);
  serveHealth(app, {
    pool: parts.healthPool,
    version,
    jobs: () => parts.running.jobs?.health() ?? null,
    busAnswers: () => (parts.sharedRates?.answers() === false ? false : parts.bus.answers()),
    isStopping: () => drain.isStopping(),
  });
  await serveDocs(app, calls, version);
  const { announcements, hotMatches } = modules.content;
  const { catalogue } = modules.catalogue;
  const { installation } = modules.brand;
  await servePages(app, {
    ...{ folder, clock, serviceHosts: modules.identity.serviceHosts },
    ...sitePages({
      ...{ brands, catalogue, announcements, hotMatches, installation },
      regions: options.regions,
      vendorOrigin: (vendor) => {
        const connection = modules.vendors.connections.find(vendor);
        return connection && originOf(connection);
      },
    }),
  });
  live.attach(app.server);
  const { promotions } = modules.promotions;
  return {
    ...serverLife({ parts, brought, app, live, drain }),
    loadDemo: (stopping = new AbortController().signal) =>
      loadDemoBrand({ pool, brands, clock, ledger, log, promotions, stopping }),
  };
}

type Modules = ReturnType<typeof createModules>;

/** Every module; one that needs a later one calls it only once all exist. */
function createModules(parts: Parts) {
  const { brands, ledger, messages } = parts;
  const catalogue = catalogueModule({
    ...parts,
    connected: (vendor) => vendors.connections.find(vendor) !== null,
    openAtVendor: ({ session, language }, { vendor, game_id }) =>
      vendors.launch({ session, language }, { vendor, gameId: game_id }),
  });
  const vendors: VendorsModule = createVendors(parts, catalogue.catalogue);
  const connect = vendors.connections.put.bind(vendors.connections);
  const simulator = simulatorModule({ ...parts, connect });
  const games = createGames(parts, catalogue.catalogue);
  const identity = identityModule({
    ...parts,
    wallets: memberWallets(ledger, parts.clock),
    clearTrial: async (id) => {
      if (await isTrialPlayed(ledger, id)) return false;
      await games.rounds.rounds.dropUnusedPairs(id, "FUN");
      return true;
    },
    payoutAccountsOf: (session) => cashier.withdrawals.payoutAccountsOf(session),
    hasPaidIn: (session) => cashier.deposits.hasPaidIn(session),
  });
  const { captchas, gifts, devices, ownerMails, paymentProofs, externalFlows } = identity;
  const cashier: CashierModule = cashierModule({
    ...{ ...parts, paymentProofs, ownerMails },
    deviceOf: devices.nameOf.bind(devices),
  });
  const { board } = games.sports;
  const hotMatches = hotMatchesOf(catalogue.catalogue, async () => (await board.snapshot()).data);
  const content = contentModule(parts, captchas, hotMatches);
  return {
    ...{ messages, catalogue, vendors, simulator, ...games, identity, cashier, content },
    ledger: ledgerModule(parts),
    brand: brandModule({ ...parts, externalLogins: (brand) => externalFlows.offered(brand) }),
    promotions: promotionsModule(parts, content.announcements, gifts),
    redRain: redRainModule({ ...parts, gifts, brands: () => brands.having(REDRAIN) }),
    agents: agentsModule(parts),
    operators: operatorsModule(parts),
  };
}

function createVendors(parts: Parts, catalogue: Catalogue): VendorsModule {
  const brandOf = async (id: string) => present(await parts.brands.byId(id), "the brand of a play");
  return vendorsModule({
    ...{ ...parts, brandOf },
    takeFreePlay: (player) => takeFreePlay(parts.rateLimiter, player),
    playRefusal: async ({ merchantId, type, ...play }) => {
      const merchant = await brandOf(merchantId);
      // A vendor's calls pass, since its wins and rollbacks are taken whatever is closed.
      if (merchant.settings.maintenance) return refusal("maintenance");
      return catalogue.vendorPlayRefusal(merchant, type, play);
    },
  });
}

function createGames(parts: Parts, catalogue: Catalogue) {
  const { config, pool, brands } = parts;
  const playRefusal = (
    merchant: Merchant,
    session: Session,
    game: { readonly vendor: string; readonly gameId: string },
  ) => catalogue.playRefusal(merchant, session.type, game);
  const housesRefusal: PlayRefusal = (merchant, session, gameId) =>
    playRefusal(merchant, session, { vendor: HOUSE_VENDOR, gameId });
  return {
    rounds: roundsModule({
      ...{ ...parts, playRefusal: housesRefusal },
      isTaken: (roundId) => isFlight(pool, roundId),
      shownGame: (merchant, gameId) => catalogue.byGameId(merchant, gameId),
    }),
    lottery: lotteryModule({
      ...{ ...parts, playRefusal },
      offered: async (merchant, { gameId, vendor }) => {
        const game = await catalogue.byGameId(merchant, gameId);
        if (game?.vendor !== vendor) return null;
        return { nodeId: game.node_id, name: game.name, open: game.vendor_status === "up" };
      },
    }),
    sports: sportsModule({ ...parts, playRefusal }),
    saranggola: saranggolaModule({
      ...{ ...parts, playRefusal: housesRefusal },
      signing: signingKey(config.payloadKey, "saranggola-chains"),
      brands: () => brands.all(),
    }),
    cockfight: cockfightModule({
      ...parts,
      brands: () => brands.having(COCKFIGHT),
      brandById: (id) => brands.byId(id),
      playRefusal: (merchant, session) => housesRefusal(merchant, session, COCKFIGHT_GAME),
    }),
  };
}

function callOptions(parts: Parts, modules: Modules): CallServerOptions<Merchant, Session> {
  const { config, brands, ledger, metrics } = parts;
  const { sessions, payloadKeys } = modules.identity;
  return {
    ...parts,
    trustProxy: config.trustProxy,
    regions:
      config.countryHeader === null ? null : { header: config.countryHeader, isClosed: isClosedTo },
    secure: config.publicUrl.startsWith("https:"),
    checkReplies: config.environment !== "production",
    metrics: metrics.http,
    merchantOf: (host) => brands.byHost(host),
    underMaintenance: ({ settings }) => settings.maintenance,
    isOn,
    sessionOf: (merchant, halves) => sessions.find(merchant, halves),
    hasPaidIn: (session) => modules.cashier.deposits.hasPaidIn(session),
    isAtRest: ({ memberId, currency }) => ledger.isAtRest(accountOf(memberId, currency)),
    operatorOf: (merchant, token) => modules.operators.operators.find(merchant.id, token),
    openBody: ({ code: aud }, call, jwe) => payloadKeys.open(jwe, { aud, call }),
  };
}

/** The player application's build; the server's source and its bundle are equally deep. */
function playFolder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), "../../play/dist");
}
