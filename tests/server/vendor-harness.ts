import type { AddressInfo } from "node:net";
import { vendorWalletCalls } from "@perya/contract/vendor-wallet";
import { present } from "@perya/kernel/assert";
import type { Entropy } from "@perya/kernel/instant";
import { afterAll } from "vitest";
import {
  type BrandSettings,
  createBrands,
  type Merchant,
} from "../../apps/server/src/modules/brand/brand.ts";
import {
  Catalogue,
  insertGames,
  insertVendors,
  type NewGame,
} from "../../apps/server/src/modules/catalogue/catalogue.ts";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { peryaProtocol } from "../../apps/server/src/modules/vendors/perya-protocol.ts";
import { VendorConnections } from "../../apps/server/src/modules/vendors/vendor-connections.ts";
import { accessOf } from "../../apps/server/src/modules/vendors/vendor-protocol.ts";
import { VendorSessions } from "../../apps/server/src/modules/vendors/vendor-sessions.ts";
import { signAsVendor, VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { vendorWalletRoutes } from "../../apps/server/src/modules/vendors/wallet-calls.routes.ts";
import { createHttpServer, serveCalls } from "../../apps/server/src/platform/http/call-server.ts";
import { type FreePlayer, takeFreePlay } from "../../apps/server/src/platform/http/free-play.ts";
import { SIGNATURE_HEADER } from "../../apps/server/src/platform/http/signature.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { simulatorPages } from "../../apps/server/src/simulator/simulator-pages.ts";
import { END_ROUND, VendorSimulator } from "../../apps/server/src/simulator/vendor-simulator.ts";
import { runDueJobs } from "../setup/run-due-jobs.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { openOptions } from "./call-options.ts";
import {
  availableOf,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "./fixtures.ts";

/**
 * What happens to a call on its way: it is lost before it arrives, or its answer is lost, or it
 * arrives when nobody waits for it any more.
 */
export type Loss = "call" | "answer" | "late" | null;
type Decide = (call: string, nth: number) => Loss | Promise<Loss>;

const GAMES: readonly Pick<NewGame, "vendor" | "gameType" | "isGameH5" | "freeplay">[] = [
  { vendor: "PGE", gameType: "RNG", isGameH5: null, freeplay: true },
  { vendor: "PGE", gameType: "RNG", isGameH5: null, freeplay: false },
  { vendor: "AV", gameType: "ESPORTS", isGameH5: "VASSALAGE", freeplay: false },
  { vendor: "AV", gameType: "ESPORTS", isGameH5: "VASSALAGE", freeplay: false },
];

/**
 * A brand with two outside vendors, PGE (games `game-1` and `game-2`) and AV (a lobby of `game-3`
 * and `game-4`), the simulator behind them, and HTTP between both that can lose calls. All is
 * closed after the tests of the file that opened it.
 */
export async function openVendorHarness(seed: string) {
  const clock = manualClock();
  const chance = seededEntropy(seed);
  /** Where the wheel stops next; null leaves it to chance. */
  let slot: number | null = null;
  const entropy: Entropy = {
    bytes: (length) => (length === 1 && slot !== null ? Uint8Array.of(slot) : chance.bytes(length)),
  };
  const log = createLogger({ level: "silent" });
  const db = await databaseOfFile();
  const ledger = ledgerOfFile(db);
  const brands = createBrands(db.pool, clock);
  const merchant = await makeBrand(db.pool, clock, { hosts: ["*"] });
  await insertVendors(db.pool, merchant.id, [
    { code: "PGE", gameType: "RNG", displayName: "Pista Reels", status: "up" },
    { code: "AV", gameType: "ESPORTS", displayName: "Arena Visayas", status: "up" },
  ]);
  await insertGames(db.pool, merchant.id, GAMES.map(newGame));

  let address = "";
  const alarms: string[] = [];
  const brand = (): Merchant => ({
    ...merchant,
    settings: { ...merchant.settings, vendorRules: { ...merchant.settings.vendorRules, ...rules } },
  });
  let rules: Partial<BrandSettings["vendorRules"]> = {};
  /** Calls that reached the wire, as `bet`, `win` …, oldest first. */
  const sent: string[] = [];
  /** Calls that have not arrived, and for which nobody waits any more. */
  const late: (() => Promise<Response>)[] = [];
  let lose: Decide = () => null;
  const secret = "a secret of the vendors' own";
  const simulator = new VendorSimulator({
    pool: db.pool,
    clock,
    entropy,
    secret,
    merchantId: merchant.id,
    vendors: ["PGE", "AV"],
    callBase: () => address,
    send: async (url, init) => {
      const call = String(url).split("/").at(-1) ?? "";
      sent.push(call);
      const loss = await lose(call, sent.filter((one) => one === call).length);
      if (loss === "late") late.push(() => fetch(url, { ...init, signal: null }));
      if (loss === "call" || loss === "late") throw new Error("the call was lost");
      const answer = await fetch(url, init);
      if (loss === "answer") throw new Error("the answer was lost");
      return answer;
    },
  });
  const connections = new VendorConnections({ pool: db.pool, clock, log, secret });
  await connections.put(...simulator.connections());
  const catalogue = new Catalogue(db.pool, clock, (vendor) => connections.find(vendor) !== null);
  const options = openOptions({ log, clock, entropy, brands });
  const playsOver = (books: typeof ledger) =>
    new VendorSessions({
      pool: db.pool,
      clock,
      entropy,
      wallet: new VendorWallet(db.pool, books, clock),
      playUrl: (vendor, launch) => connections.playUrl(vendor, launch),
      brandOf: async () => brand(),
      onAlarm: (what) => alarms.push(what),
      takeFreePlay: (player) => takeFreePlay(options.rateLimiter, player),
      playRefusal: ({ type, ...play }) => catalogue.vendorPlayRefusal(merchant, type, play),
    });
  const plays = playsOver(ledger);
  const otherLedger = ledgerOfFile(db);
  const app = await createHttpServer(options);
  afterAll(() => app.close());
  const access = accessOf(peryaProtocol, { connections, sessions: plays, clock });
  serveCalls(app, vendorWalletCalls, vendorWalletRoutes(access), options);
  simulatorPages(app, { simulator, entropy, framedBy: "http://localhost" });
  await app.listen({ host: "127.0.0.1", port: 0 });
  // A server that listens on TCP has an address of this type.
  address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function launch(session: Session, vendor = "PGE", gameId = "game-1"): Promise<string> {
    const url = await plays.launch({ session, language: "EN" }, { vendor, gameId });
    return present(url, "a vendor that is connected");
  }

  function tokenOf(url: string): string {
    return new URL(url, address).searchParams.get("token") ?? "";
  }

  return {
    clock,
    db,
    /** Of a server whose calls need no log-in. */
    options,
    ledger,
    merchant,
    catalogue,
    plays,
    /** Counts one stake of free play, as the product does. */
    takeFreePlay: (player: FreePlayer) => takeFreePlay(options.rateLimiter, player),
    /** The same plays in another process. */
    otherPlays: playsOver(otherLedger),
    simulator,
    sent,
    launch,
    tokenOf,
    alarms,
    brand,
    address: () => address,

    /** Sets how far the brand trusts its vendors. */
    believe(believed: typeof rules): void {
      rules = believed;
    },

    /** From now on the wheel stops here; null leaves it to chance. */
    stopAt(wanted: number | null): void {
      slot = wanted;
    },

    /** From now on this decides what is lost, by the call and how often it has been sent. */
    lose(decide: Decide): void {
      sent.length = 0;
      lose = decide;
    },

    /** Delivers the late calls; answers `ok` or the refusal's code for each. */
    async arriveLate(): Promise<string[]> {
      const codes: string[] = [];
      for (const send of late.splice(0)) {
        const json = (await (await send()).json()) as { code?: string }; // as problems are declared
        codes.push(json.code ?? "ok");
      }
      return codes;
    },

    /** A player who is logged in, and blocked afterwards if wanted. */
    async player(balance: bigint, given: { type?: number; blocked?: boolean } = {}) {
      const session = await makeMember({ pool: db.pool, ledger, clock }, merchant, {
        balance,
        ...given,
      });
      if (given.blocked === true) {
        await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
      }
      return session;
    },

    /** The key of a player's seat at a vendor. */
    async seatOf(session: Session, vendor = "PGE", gameId = "game-1"): Promise<string> {
      const token = tokenOf(await launch(session, vendor, gameId));
      return present(await simulator.open(vendor, token), "a seat");
    },

    available(session: Session): Promise<bigint> {
      return availableOf(ledger, accountOf(session.memberId, session.currency));
    },

    /** Makes one call like a vendor. */
    async call(
      vendor: string,
      call: string,
      body: object,
      signing = { vendor, call, at: clock.now() },
    ): Promise<{ status: number; json: ReturnType<typeof JSON.parse> }> {
      const text = JSON.stringify(body);
      const key = connections.find(signing.vendor)?.secret ?? "";
      const path = `/api/v1/vendors/${vendor}/${signing.call}`;
      const answer = await fetch(`${address}/api/v1/vendors/${vendor}/${call}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [SIGNATURE_HEADER]: signAsVendor(key, path, text, signing.at),
        },
        body: text,
      });
      return { status: answer.status, json: await answer.json() };
    },

    /** Runs all jobs as if their time had come. */
    async runJobs(): Promise<void> {
      await db.pool.query(
        "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs",
      );
      const tasks = { [END_ROUND]: (payload: unknown) => simulator.end(payload) };
      await runDueJobs({ pool: db.pool, log, tasks });
    },
  };
}

function newGame(given: (typeof GAMES)[number], index: number): NewGame {
  return {
    ...given,
    nodeId: index + 1,
    gameId: `game-${index + 1}`,
    name: `Laro ${index + 1}`,
    vendorName: given.vendor === "AV" ? "Arena Visayas" : "Pista Reels",
    classify: "",
    gameCode: `G${index + 1}`,
    minBetMinor: 100,
    isNew: false,
    supportPlay: false,
    lottoMode: null,
    rtp: null,
    houseGame: null,
    sort: index,
    hotSort: null,
  };
}
