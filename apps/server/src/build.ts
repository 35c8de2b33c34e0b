import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { calls } from "@perya/contract/calls";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import type { Clock, Entropy } from "@perya/kernel/instant";
import { currencyOf, money, toWire } from "@perya/kernel/money";
import own from "../package.json" with { type: "json" };
import { type DemoAccount, loadDemoBrand } from "./demo/demo.ts";
import { demoBrand } from "./demo/demo-brand.ts";
import { SIMULATED_VENDORS } from "./demo/demo-catalogue.ts";
import { hotMatchesOf } from "./hot-matches.ts";
import { Agents, agentRoutes } from "./modules/agents/agents.ts";
import {
  BrandWatch,
  brandRoutes,
  createBrands,
  createContacts,
  isClosedTo,
  isOn,
  type Merchant,
  SETTINGS_SEEN_MS,
} from "./modules/brand/brand.ts";
import {
  Cashier,
  cashierRoutes,
  createGatewayProvider,
  createManualProvider,
  createSandboxProvider,
  ManualEvidence,
  OperatorCashier,
  operatorCashierRoutes,
  REVIEW_WITHDRAWAL,
  SEND_CALLBACK,
  sandboxPages,
  sweepCashier,
} from "./modules/cashier/cashier.ts";
import {
  Catalogue,
  catalogueRoutes,
  Launcher,
  launchRoutes,
  PlayerGames,
  playerGameRoutes,
  serveArtwork,
} from "./modules/catalogue/catalogue.ts";
import { cockfightModule } from "./modules/cockfight/cockfight.module.ts";
import { COCKFIGHT, COCKFIGHT_GAME } from "./modules/cockfight/cockfight.ts";
import {
  Announcements,
  contentRoutes,
  FeedbackInbox,
  feedbackRoutes,
  helpRoutes,
} from "./modules/content/content.ts";
import {
  type Argon2,
  createCaptchas,
  createInvitations,
  createPayloadKeys,
  createPhoneProofs,
  ExternalAccounts,
  ExternalLogins,
  externalLoginPages,
  externalLoginRoutes,
  Gifts,
  Identity,
  identityRoutes,
  invitationRoutes,
  KnownDevices,
  OWNER_MAIL,
  OwnerMails,
  ownerMailTask,
  Passkeys,
  Passwords,
  PaymentProofs,
  passkeyRoutes,
  phoneServiceHosts,
  RESET_MAIL,
  Recovery,
  recoveryRoutes,
  resetMailTask,
  SecondFactor,
  Security,
  type Session,
  SmsCodes,
  securityRoutes,
  smsRoutes,
  Totp,
  TRIAL_TYPE,
  useNonce,
} from "./modules/identity/identity.ts";
import { accountOf, Ledger, type WalletMoved } from "./modules/ledger/ledger.ts";
import { lotteryModule } from "./modules/lottery/lottery.module.ts";
import { Operators, operatorRoutes } from "./modules/operators/operators.ts";
import { Promotions, promotionRoutes } from "./modules/promotions/promotions.ts";
import { redRainModule } from "./modules/red-rain/red-rain.module.ts";
import { REDRAIN } from "./modules/red-rain/red-rain.ts";
import { type BigWin, type PlayRefusal, Rounds, roundRoutes } from "./modules/rounds/rounds.ts";
import { saranggolaModule } from "./modules/saranggola/saranggola.module.ts";
import { isFlight } from "./modules/saranggola/saranggola.ts";
import { sportsModule } from "./modules/sports/sports.module.ts";
import {
  GameReturns,
  HeldWins,
  heldWinRoutes,
  maskName,
  VendorSessions,
  VendorWallet,
  vendorRoutes,
  vendorWalletRoutes,
} from "./modules/vendors/vendors.ts";
import { outgoingMessages } from "./outgoing-messages.ts";
import { localBus, redisBus } from "./platform/bus.ts";
import { systemElapsed } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { derivedKey } from "./platform/derived-key.ts";
import { eachByItself } from "./platform/each-by-itself.ts";
import {
  type CallServerOptions,
  createHttpServer,
  serveCalls,
} from "./platform/http/call-server.ts";
import { sessionCookieOf } from "./platform/http/cookies.ts";
import { serveDocs } from "./platform/http/docs.ts";
import { createDrain } from "./platform/http/drain.ts";
import { takeFreePlay } from "./platform/http/free-play.ts";
import { serveHealth } from "./platform/http/health.ts";
import { createHumanCheck } from "./platform/http/human-check.ts";
import { createMetrics, createMetricsServer } from "./platform/http/metrics.ts";
import { buildVersion, servePages } from "./platform/http/pages.ts";
import {
  localRateLimiter,
  type RateLimiter,
  redisRateLimiter,
} from "./platform/http/rate-limit.ts";
import { senderOf, trustOf } from "./platform/http/sender.ts";
import { inTime } from "./platform/in-time.ts";
import { idOf, type Jobs, migrateJobs, startJobs, type Task } from "./platform/jobs.ts";
import { KEEPER_LEASE_MS, Keeper } from "./platform/keeper.ts";
import { sweepPictureDays } from "./platform/kept-pictures.ts";
import { createLease } from "./platform/lease.ts";
import type { Logger } from "./platform/log.ts";
import { isCluster } from "./platform/postgres/distribute.ts";
import { DatabaseHistory } from "./platform/postgres/history.ts";
import { createPool } from "./platform/postgres/pool.ts";
import type { ServerModule, Tell } from "./platform/server-module.ts";
import { signingKey } from "./platform/signing-key.ts";
import { siteName } from "./platform/site-name.ts";
import { Live } from "./platform/sockets/live.ts";
import { renewSeenChance } from "./seen-chance.ts";
import { simulatorPages } from "./simulator/simulator-pages.ts";
import { END_ROUND, VendorSimulator } from "./simulator/vendor-simulator.ts";
import { sitePages } from "./site-pages.ts";

export interface ServerDependencies {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly databaseUrl: string;
  /** Another keeper of the rates than this process's memory. */
  readonly rateLimiter?: RateLimiter;
  /** Work of a human check; tests ask for less than a player's phone is given. */
  readonly humanCheckMaxNumber?: number;
  /** What hashes passwords; tests take smaller figures. */
  readonly argon2?: Argon2;
}

export interface Server {
  listen(): Promise<{ url: string; metricsUrl: string }>;
  /**
   * Loads the demo brand once; answers its accounts.
   * @throws the reason of `stopping`, and Error where an earlier load was cut off
   */
  loadDemo(stopping?: AbortSignal): Promise<DemoAccount[]>;
  close(): Promise<void>;
}

const POOL_MAX = 20;
/** At the end, each step that needs the database alone is waited for as long. */
const DATABASE_PATIENCE_MS = 3_000;
/** On the bus: which sessions have ended, for the sockets that other processes hold of them. */
const SESSIONS_TOPIC = "sessions";
/** When the jobs run that nobody asks for; cron, UTC. */
const SCHEDULE = {
  identity_sweep: "*/10 * * * *",
  cashier_expire: "* * * * *",
  cashier_sweep: "* * * * *",
  promotions_sweep: "17 * * * *",
  receipts_sweep: "27 * * * *",
  vendors_sweep: "20 4 * * *",
  vendors_watch: "*/5 * * * *",
} as const;

/** Wires every dependency by hand; the one place that knows all rooms of the server. */
export async function buildServer(deps: ServerDependencies): Promise<Server> {
  const { config, log, clock, entropy, databaseUrl } = deps;
  const pool = createPool(databaseUrl, { max: POOL_MAX, log });
  const healthPool = createPool(databaseUrl, { max: 1, log });
  const history = new DatabaseHistory({
    pool,
    renew: () => renewSeenChance(pool),
    onChange: () => {
      log.warn("the database goes on from an earlier moment: what was shown gives way");
      // Numbers and versions that were shown come again.
      for (const { giveWay } of modules) giveWay?.();
      live.callBack();
    },
  });
  const { redisUrl } = config;
  const redis = await migrateJobs(pool, log)
    .then(async () =>
      redisUrl === null
        ? null
        : { url: redisUrl, site: await siteName(pool, config.sessionSecret) },
    )
    .catch(async (error: unknown) => {
      await Promise.all([pool.end(), healthPool.end()]);
      throw error;
    });
  const metrics = createMetrics();
  const processName = Buffer.from(entropy.bytes(9)).toString("base64url");
  const bus =
    redis === null
      ? localBus()
      : redisBus(redis, processName, {
          onTrouble: (error) => log.warn({ err: error }, "the bus is unreachable"),
          onMisheard: (error) =>
            log.warn({ err: error }, "a word of another process was not understood"),
        });
  const sharedRates =
    redis === null
      ? null
      : redisRateLimiter(redis, clock, (error) =>
          log.warn({ err: error }, "the shared rate limits are unreachable"),
        );
  const rateLimiter = deps.rateLimiter ?? sharedRates ?? localRateLimiter(clock);
  const messages = outgoingMessages(config, clock, log);
  const secure = config.publicUrl.startsWith("https:");

  const brands = createBrands(pool, clock, (brand, fault) =>
    log.error({ brand, fault }, "a brand cannot be read, and is closed"),
  );
  const ledger = new Ledger({
    databaseUrl,
    pool,
    isCluster: await isCluster(pool),
    onTrouble: (error, what) => {
      log.warn({ err: error }, what);
      history.doubt();
    },
  });
  const captchas = createCaptchas(pool, clock, entropy);
  const payloadKeys = createPayloadKeys(pool, clock, entropy, config.payloadKey);
  const humanCheck = createHumanCheck({
    key: derivedKey(config.sessionSecret, "human-check"),
    clock,
    used: { take: (nonce, until) => useNonce(pool, nonce, until) },
    ...(deps.humanCheckMaxNumber === undefined ? {} : { maxNumber: deps.humanCheckMaxNumber }),
  });
  const smsCodes = new SmsCodes({
    pool,
    clock,
    entropy,
    log,
    sms: messages.sms,
    humanCheck,
    secret: derivedKey(config.sessionSecret, "sms-code"),
  });
  const { phoneService } = config;
  const phoneProofs =
    phoneService === null ? null : createPhoneProofs({ pool, clock, log, service: phoneService });
  const ownerMails = new OwnerMails(clock, messages.mailer !== null);
  const passwords = new Passwords(entropy, deps.argon2);
  const totp = new Totp({ pool, clock, entropy, passwords, secret: config.payloadKey });
  const secondFactor = new SecondFactor({
    ...{ pool, clock, entropy, totp, ownerMails },
  });
  const identity = new Identity({
    pool,
    clock,
    entropy,
    captchas,
    passwords,
    smsCodes,
    phoneProofs,
    secondFactor,
    wallets: {
      open: async (client, { id, merchant, type }) => {
        const currency = type === TRIAL_TYPE ? "FUN" : merchant.currency;
        const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
        await ledger.open(client, accountOf(id, currency), owner, clock.now());
      },
      giveTrialCredit: async ({ id }, amountMinor) => {
        const given = await ledger.credit({
          account: accountOf(id, "FUN"),
          key: "trial-credit",
          amount: amountMinor,
          counterAccount: "bonus:trial",
          kind: "trial-credit",
          ref: null,
          at: clock.now(),
        });
        if (!given.ok) throw new Error(`trial credit: ${given.error.code}`);
      },
    },
  });
  const recovery = new Recovery({
    pool,
    clock,
    entropy,
    passwords,
    sessions: identity.sessions,
    totp,
    codes: smsCodes,
    phoneProofs,
    mailsAreSent: messages.mailer !== null,
    ownerMails,
  });
  const passkeys = new Passkeys({
    pool,
    clock,
    entropy,
    sessions: identity.sessions,
    ownerMails,
  });
  const paymentProofs = new PaymentProofs({ pool, clock, passwords, passkeys });
  const security = new Security({
    pool,
    clock,
    entropy,
    passwords,
    sessions: identity.sessions,
    totp,
    paymentProofs,
    codes: smsCodes,
    mailer: messages.mailer,
    ownerMails,
    publicUrl: config.publicUrl,
  });
  const externalLogins = new ExternalLogins({
    pool,
    clock,
    entropy,
    log,
    clients: { google: config.google, facebook: config.facebook },
    secret: config.payloadKey,
    identity,
  });
  const externalAccounts = new ExternalAccounts({
    pool,
    clock,
    sessions: identity.sessions,
    externalLogins,
    ownerMails,
  });
  const installation = {
    publicUrl: config.publicUrl,
    imageCdns: config.imageCdns,
    externalLogins: (merchant: Merchant) => externalLogins.offered(merchant),
    phoneService:
      phoneService === null
        ? null
        : { apiKey: phoneService.apiKey, address: phoneService.serviceUrl },
    contacts: createContacts(),
  };
  let listening = "";
  let jobs: Jobs | null = null;
  // Never beside real money: what it simulates exists in the demo brand alone.
  const simulator =
    config.demoData && config.environment !== "production"
      ? new VendorSimulator({
          pool,
          clock,
          entropy,
          secret: derivedKey(config.sessionSecret, "vendor-simulator"),
          merchantId: demoBrand.id,
          vendors: SIMULATED_VENDORS,
          callBase: () => listening,
          pageOrigin: config.simulatorOrigin,
        })
      : null;
  const connections = simulator?.connections() ?? [];
  const catalogue = new Catalogue(pool, clock, (vendor) =>
    connections.some((connection) => connection.vendor === vendor),
  );
  const announcements = new Announcements(pool, clock);
  const agents = new Agents(pool, clock);
  const promotions = new Promotions(pool, clock, announcements);
  const wallet = new VendorWallet(pool, ledger, clock);
  const refusalToPlay = (
    merchant: Merchant,
    session: Session,
    game: { readonly vendor: string; readonly gameId: string },
  ) => catalogue.playRefusal(merchant, session.type, game);
  const playRefusal: PlayRefusal = (merchant, session, gameId) =>
    refusalToPlay(merchant, session, { vendor: HOUSE_VENDOR, gameId });
  const sure = () => history.sure();
  const isTaken = (roundId: string) => isFlight(pool, roundId);
  const rounds = new Rounds({ pool, wallet, clock, entropy, playRefusal, sure, isTaken });
  const tell: Tell = (channel, brand, event) => live.tell(channel, brand, event);
  const lottery = lotteryModule({
    ...{ pool, wallet, clock, entropy },
    playRefusal: refusalToPlay,
    offered: async (merchant, { gameId, vendor }) => {
      const game = await catalogue.byGameId(merchant, gameId);
      if (game?.vendor !== vendor) return null;
      return { nodeId: game.node_id, name: game.name, open: game.vendor_status === "up" };
    },
  });
  const sports = sportsModule({
    ...{ pool, wallet, clock, entropy, log, tell },
    playRefusal: refusalToPlay,
  });
  const saranggola = saranggolaModule({
    ...{ pool, wallet, clock, entropy, bus, tell, playRefusal, sure },
    signing: signingKey(config.payloadKey, "saranggola-chains"),
    brands: () => brands.all(),
  });
  const cockfight = cockfightModule({
    ...{ pool, wallet, clock, entropy, bus, tell, sure },
    brands: () => brands.having(COCKFIGHT),
    brandById: (id) => brands.byId(id),
    playRefusal: (merchant, session) => playRefusal(merchant, session, COCKFIGHT_GAME),
  });
  const hotMatches = hotMatchesOf(catalogue, sports.board);
  const vendorSessions = new VendorSessions({
    pool,
    clock,
    entropy,
    wallet,
    connections,
    brandOf: async (id) => present(await brands.byId(id), "the brand of a play"),
    takeFreePlay: (player) => takeFreePlay(rateLimiter, player),
    onAlarm: (what, about) => {
      metrics.vendorAlarms.inc({ what });
      log.error(about, what);
    },
    playRefusal: async ({ merchantId, type, ...play }) => {
      const merchant = present(await brands.byId(merchantId), "the brand of a play");
      // A vendor's calls pass the door, for its wins and rollbacks are taken whatever is closed.
      if (merchant.settings.maintenance) return refusal("maintenance");
      return catalogue.closedToPlay(merchant, type, play);
    },
  });
  const gameReturns = new GameReturns(pool, clock, () => brands.all());

  async function watchGames(): Promise<void> {
    const alarms = await gameReturns.beyond();
    metrics.gamesBeyond.reset();
    for (const { brand, vendor, game_id: gameId, bets, basis_points: basisPoints } of alarms) {
      metrics.gamesBeyond.set({ brand, vendor, game: gameId }, Number(basisPoints) / 10_000);
      const about = { brand, vendor, gameId, bets: `${bets}`, basisPoints: `${basisPoints}` };
      log.error(about, "a game gives back more than its bound");
    }
  }

  const launcher = new Launcher(catalogue, ({ session, language }, { vendor, game_id }) =>
    vendorSessions.launch({ session, language }, { vendor, gameId: game_id }),
  );

  const trust = trustOf(config.trustProxy);
  const live: Live = new Live({
    ...{ log, clock, entropy, bus },
    path: "/ws",
    sessionOf: async (host, token, cookieHeader) => {
      const merchant = await brands.byHost(host);
      if (merchant === null) return null;
      const halves = { storage: token, cookie: sessionCookieOf(cookieHeader, secure) };
      const session = await identity.sessions.find(merchant, halves);
      return session?.ok === true ? session.value : null;
    },
    snapshots: {
      ...sports.channels,
      ...saranggola.channels,
      ...cockfight.channels,
      wallet: (session) => walletSnapshot(session as Session | null),
      site: async (_session, brand) => {
        const maintenance = brand !== null && (await watch.isUnderMaintenance(brand));
        return { version: clock.now(), data: { maintenance } };
      },
      cashier: async () => ({ version: clock.now(), data: {} }),
      winners: async () => ({ version: clock.now(), data: {} }),
    },
    brandOf: async (host) => (await brands.byHost(host))?.id ?? null,
    endedOf: (sessionIds) => identity.sessions.endedOf(sessionIds),
    senderOf: (request) => senderOf(request, trust),
    onCount: (open) => metrics.sockets.set(open),
  });
  const watch = new BrandWatch({
    ...{ pool, log, everyMs: SETTINGS_SEEN_MS },
    onChange: (merchantId, maintenance) => {
      log.info({ brand: merchantId, maintenance }, "a brand was closed or opened");
      const event = { type: "site", state: { maintenance } };
      live.tell("site", merchantId, { version: clock.now(), after: 0, event });
    },
  });
  rounds.onWin((win) => void tellWin(win).catch((error) => log.warn({ err: error }, "winner")));

  async function tellWin({ merchant, session, gameId, payoutMinor, at }: BigWin): Promise<void> {
    const game = await catalogue.byGameId(merchant, gameId);
    if (game === null) return;
    const event = {
      type: "win",
      account: maskName(session.username),
      gameName: game.name,
      nodeId: game.node_id,
      payout: toWire(money(payoutMinor, session.currency)),
      at,
    };
    live.publish("winners", merchant.id, { version: at, after: 0, event });
  }

  async function walletSnapshot(session: Session | null) {
    if (session === null) throw new Error("the wallet channel needs a session");
    const found = await ledger.balance(accountOf(session.memberId, session.currency));
    const { balance = 0n, held = 0n, seq = 0n } = found ?? {};
    return { version: Number(seq), data: walletState(balance, held, session.currency) };
  }

  ledger.onMoved((moved) => {
    metrics.movements.inc(moved.length);
    for (const one of moved) publishWallet(live, one);
  });
  // This process hears its own word too, so its sockets are hung up by the same way.
  identity.sessions.onEnded((sessionId, how) => bus.publish(SESSIONS_TOPIC, `${how} ${sessionId}`));
  bus.subscribe(SESSIONS_TOPIC, (message) => {
    const [how, sessionId = ""] = message.split(" ");
    identity.sessions.dropFromCache(sessionId);
    if (how === "ended") live.endSession(sessionId);
    else live.dropSession(sessionId);
  });

  // Never beside real money: it books as paid what nobody pays.
  const sandbox =
    config.environment === "production"
      ? null
      : createSandboxProvider({
          ...{ pool, clock, entropy },
          secret: config.sandboxPaymentSecret,
          callbackBase: () => listening,
        });
  const gateway =
    config.paymentGateway === null
      ? null
      : createGatewayProvider({ clock, ...config.paymentGateway });
  const manual = createManualProvider({ pool, clock, entropy });
  const onAlarm = (what: string, about: object) => log.warn(about, what);
  const cashier = new Cashier({
    pool,
    ledger,
    clock,
    providers: [manual, gateway, sandbox].filter((provider) => provider !== null),
    merchantById: (id) => brands.byId(id),
    paymentProofs,
    ownerMails,
    publicUrl: config.publicUrl,
    onChange: (memberId, event) =>
      live.publish("cashier", memberId, { version: clock.now(), after: 0, event }),
    onAlarm,
  });
  const operators = new Operators(pool, clock, entropy);
  const evidence = new ManualEvidence(pool, clock, cashier);
  const devices = new KnownDevices(pool, clock, entropy);
  const gifts = new Gifts({
    ...{ pool, clock, devices },
    payoutAccountsOf: (session) => cashier.payoutAccountsOf(session),
    hasPaidIn: (session) => cashier.hasPaidIn(session),
  });
  const redRain = redRainModule({
    ...{ pool, ledger, clock, entropy, gifts },
    brands: () => brands.having(REDRAIN),
  });
  const modules: readonly ServerModule[] = [lottery, redRain, sports, saranggola, cockfight];
  const keepers = modules
    .flatMap(({ keeps = [] }) => keeps)
    .map(({ name, kept, trouble }) => {
      const lease = createLease(pool, clock, name, processName, KEEPER_LEASE_MS);
      return new Keeper({ kept, trouble, lease, clock, elapsed: systemElapsed, log });
    });

  const options: CallServerOptions<Merchant, Session> = {
    log,
    clock,
    entropy,
    trustProxy: config.trustProxy,
    regions:
      config.countryHeader === null ? null : { header: config.countryHeader, isClosed: isClosedTo },
    secure,
    checkReplies: config.environment !== "production",
    rateLimiter,
    metrics: metrics.http,
    merchantOf: (host) => brands.byHost(host),
    underMaintenance: ({ settings }) => settings.maintenance,
    isOn,
    sessionOf: (merchant, halves) => identity.sessions.find(merchant, halves),
    hasPaidIn: (session) => cashier.hasPaidIn(session),
    isAtRest: ({ memberId, currency }) => ledger.isAtRest(accountOf(memberId, currency)),
    operatorOf: (merchant, token) => operators.find(merchant.id, token),
    openBody: ({ code: aud }, call, jwe) => payloadKeys.open(jwe, { aud, call }),
  };
  const app = await createHttpServer(options);
  const drain = createDrain(app, config.stopGraceMs);
  const webFolder = playFolder();
  const version = buildVersion(webFolder, own.version);
  serveCalls(
    app,
    calls,
    {
      ...brandRoutes(installation),
      ...identityRoutes({ identity, captchas, payloadKeys, clock }),
      ...smsRoutes({ smsCodes, humanCheck, entropy }),
      ...recoveryRoutes(recovery),
      ...securityRoutes({
        ...{ identity, security, passkeys, paymentProofs },
        publicUrl: config.publicUrl,
      }),
      ...passkeyRoutes({ identity, passkeys, publicUrl: config.publicUrl }),
      ...externalLoginRoutes({
        externalLogins,
        externalAccounts,
        publicUrl: config.publicUrl,
      }),
      ...invitationRoutes(createInvitations(pool, clock, entropy), config.publicUrl),
      ...agentRoutes(agents, clock),
      ...catalogueRoutes(catalogue, clock),
      ...launchRoutes(launcher),
      ...playerGameRoutes(new PlayerGames(pool, clock, catalogue)),
      ...contentRoutes(announcements, hotMatches, clock),
      ...promotionRoutes(promotions, announcements, gifts),
      ...redRain.calls,
      ...helpRoutes(pool),
      ...feedbackRoutes(new FeedbackInbox(pool, clock, captchas)),
      ...vendorRoutes(pool, clock),
      ...vendorWalletRoutes(vendorSessions),
      ...cashierRoutes({
        ...{ cashier, evidence, ledger },
        deviceOf: devices.nameOf.bind(devices),
      }),
      ...operatorCashierRoutes(new OperatorCashier(pool, clock, cashier)),
      ...heldWinRoutes(new HeldWins(pool, ledger, clock)),
      ...operatorRoutes(operators),
      ...roundRoutes(rounds),
      ...saranggola.calls,
      ...cockfight.calls,
      ...sports.calls,
      ...lottery.calls,
    },
    options,
  );
  externalLoginPages(app, {
    externalLogins,
    publicUrl: config.publicUrl,
    secure,
    merchantOf: (host) => brands.byHost(host),
  });
  serveHealth(app, {
    pool: healthPool,
    version,
    jobs: () => jobs?.health() ?? null,
    busAnswers: () => (sharedRates?.answers() === false ? false : bus.answers()),
    isStopping: () => drain.isStopping(),
  });
  serveArtwork(app, catalogue, (host) => brands.byHost(host));
  await serveDocs(app, calls, version);
  if (sandbox !== null) sandboxPages(app, sandbox);
  if (simulator !== null) simulatorPages(app, { simulator, entropy, framedBy: config.publicUrl });
  const { outbox } = messages;
  if (outbox !== null) {
    app.get("/outbox", async (_request, reply) =>
      reply
        .type("text/html; charset=utf-8")
        .header("cache-control", "no-store")
        .send(outbox.page()),
    );
  }
  await servePages(app, {
    folder: webFolder,
    clock,
    serviceHosts: phoneServiceHosts(phoneService),
    ...sitePages({
      brands,
      catalogue,
      announcements,
      hotMatches,
      installation,
      regions: options.regions,
      vendorOrigin: (vendor) => vendorSessions.connection(vendor)?.origin ?? null,
    }),
  });
  live.attach(app.server);
  const metricsServer = createMetricsServer(metrics);

  return {
    async listen() {
      for (const brand of await brands.all()) {
        if (cashier.methods(brand).length > 0) continue;
        log.warn({ brand: brand.code }, "the cashier is closed: no provider serves its methods");
      }
      // Whoever deals is sure of it first, however long a large site's renewal takes.
      history.start();
      // A first start has draws, rains and matches at once, not when a planning job first runs.
      for (const { prepare } of modules) await prepare?.();
      await app.listen({ host: config.host, port: config.port });
      const address = app.server.address();
      const port = typeof address === "object" && address !== null ? address.port : config.port;
      listening = `http://127.0.0.1:${port}`;
      await new Promise<void>((done, fail) => {
        metricsServer.once("error", fail);
        metricsServer.listen(config.metricsPort, config.metricsHost, done);
      });
      for (const { start } of modules) start?.();
      watch.start();
      jobs = await startJobs({
        pool,
        log,
        schedule: merged([SCHEDULE, ...modules.map(({ schedule }) => schedule)]),
        onBeat: ({ oldestDueMs, oldestOutsideMs, oldestUntakenMs }) => {
          metrics.oldestJob.set(oldestDueMs / 1_000);
          metrics.oldestOutside.set(oldestOutsideMs / 1_000);
          metrics.oldestUntaken.set(oldestUntakenMs / 1_000);
        },
        tasks: merged<Task>([
          ...modules.map(({ tasks }) => tasks),
          {
            [SEND_CALLBACK]: async (payload) => sandbox?.deliver(payload),
            [END_ROUND]: async (payload) => simulator?.end(payload),
            vendors_watch: () => watchGames(),
            vendors_sweep: () =>
              eachByItself({
                plays: () => vendorSessions.sweep(),
                days: () => gameReturns.sweep(),
              }),
            identity_sweep: () =>
              eachByItself({
                identity: () => identity.sweep(),
                codes: () => smsCodes.sweep(),
                links: () => recovery.sweep(),
                "held log-ins": () => secondFactor.sweep(),
                passkeys: () => passkeys.sweep(),
                "payment proofs": () => paymentProofs.sweep(),
                gifts: () => gifts.sweep(),
                "log-ins from outside": () => externalLogins.sweep(),
                "payload keys": () => payloadKeys.sweep(),
                trials: () =>
                  identity.sweepTrials(async (id) => {
                    const wallet = await ledger.balance(accountOf(id, "FUN"));
                    // The credit is the first entry; whoever played has more.
                    if (wallet !== null && wallet.seq > 1n) return false;
                    await rounds.dropUnusedPairs(id, "FUN");
                    return true;
                  }),
              }),
            [REVIEW_WITHDRAWAL]: (payload) => cashier.review(idOf(payload)),
            cashier_sweep: () => sweepCashier({ pool, clock, cashier, onAlarm }),
            cashier_expire: () => cashier.expire(),
            promotions_sweep: () => promotions.sweep(),
            receipts_sweep: () =>
              eachByItself({
                receipts: () => evidence.sweep(),
                "picture days": () => sweepPictureDays(pool, clock.now()),
              }),
          },
        ]),
        outside: {
          ...cashier.providerTasks,
          [OWNER_MAIL]: ownerMailTask({
            ...{ clock, log },
            mailer: messages.mailer,
            merchantById: (id) => brands.byId(id),
          }),
          [RESET_MAIL]: resetMailTask({
            ...{ pool, clock, entropy, log },
            mailer: messages.mailer,
            merchantById: (id) => brands.byId(id),
            publicUrl: config.publicUrl,
          }),
        },
      });
      for (const keeper of keepers) keeper.start();
      const metricsAddress = metricsServer.address();
      const metricsPort =
        typeof metricsAddress === "object" && metricsAddress !== null ? metricsAddress.port : 0;
      return {
        url: config.publicUrl.replace(/:0$/, `:${port}`),
        metricsUrl: `http://${config.metricsHost}:${metricsPort}/metrics`,
      };
    },

    loadDemo: (stopping = new AbortController().signal) =>
      loadDemoBrand({ pool, brands, clock, ledger, log, promotions, stopping }),

    async close() {
      const graceMs = listening === "" ? 0 : config.stopGraceMs;
      const drained = drain.run(graceMs);
      await sleep(graceMs);
      // Another process keeps the rounds on, while this one still answers.
      const kept = [...keepers, ...modules, watch, history].map((one) => one.stop?.());
      // A database that is silent is not waited for: what it still holds is another's in a moment.
      await inTime(DATABASE_PATIENCE_MS, Promise.all(kept));
      // What is still answered may add jobs, and needs none: both have their time at once.
      const jobsStopped = jobs?.stop();
      // From now on no code is sent again; what is under way is waited for after the last answer.
      void smsCodes.close();
      await Promise.all([live.close(), drained]);
      drain.cut();
      await app.close();
      // Whoever hangs outside, it is over well before the process would be ended by force.
      await Promise.all([smsCodes.close(), messages.close(), jobsStopped]);
      metricsServer.close();
      await inTime(DATABASE_PATIENCE_MS, ledger.close());
      await bus.close();
      sharedRates?.close();
      await inTime(DATABASE_PATIENCE_MS, Promise.all([pool.end(), healthPool.end()]));
    },
  };
}

/** @throws Error where two parts have the same name */
function merged<Value>(
  parts: readonly (Readonly<Record<string, Value>> | undefined)[],
): Record<string, Value> {
  const all = parts.flatMap((part = {}) => Object.entries(part));
  const whole = Object.fromEntries(all);
  assert(Object.keys(whole).length === all.length, "a name stands in one part");
  return whole;
}

function publishWallet(live: Live, { account, balance, held, seq }: WalletMoved): void {
  const owner = account.id.slice(0, account.id.lastIndexOf("."));
  const state = walletState(balance, held, account.currency);
  // The event carries the whole wallet, so it builds on nothing.
  const event = { version: Number(seq), after: 0, event: { type: "moved", state } };
  live.publish("wallet", owner, event);
}

function walletState(balance: bigint, held: bigint, currency: string) {
  const known = currencyOf(currency);
  return { available: toWire(money(balance - held, known)), held: toWire(money(held, known)) };
}

/** The player application's build; the server's source and its bundle lie equally deep. */
function playFolder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), "../../play/dist");
}
