import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type PaymentGateway, startPaymentGateway } from "../server/payment-gateway-process.ts";
import { type RunningRedis, startRedis } from "../server/redis-server.ts";
import { type ServerProcess, startServerProcess } from "../server/server-process.ts";
import { simulatedVendorSecret } from "../setup/simulated-vendor.ts";
import { openTcpLine, type TcpLine } from "../setup/tcp-line.ts";
import { type Clerk, openClerk } from "./clerk.ts";
import { FaultDatabase, removeDisks } from "./fault-database.ts";
import { Orphans } from "./orphans.ts";
import type { Order, PlayersOptions } from "./players.ts";
import { answers, bit } from "./proofs.ts";
import type { VendorOptions } from "./vendor.ts";
import { type People, peopleOf, type Seat } from "./world.ts";

/** One server, or two with a Redis between them. */
export type Size = 1 | 2;

const SESSION_SECRET = "a secret of the campaign's sessions: 7f3a9c51e0b84d26";
const GATEWAY_SECRET = "a secret of the campaign's payments: c4196be07d2f835a";
const SHIFTED_CLOCK = new URL("./shifted-clock.mjs", import.meta.url).href;
/** As in production: a connection used within this time learns of the end by its last answer. */
const STOP_GRACE_MS = "5000";
const READY_MS = 60_000;
const PREFIX = "perya-faults-";
/** Log lines kept before a finding; a campaign of hours writes more than anybody reads. */
const LINES_MOST = 20_000;

/** Everything that runs: the product's processes and all their neighbours. */
export class Site {
  readonly size: Size;
  readonly folder: string;
  readonly journals: readonly string[];
  readonly database: FaultDatabase;
  readonly servers: (ServerProcess | null)[] = [];
  /** The servers' last log lines, for use after a finding. */
  #said: string[] = [];
  /** The folder of these lines; null without a finding. */
  #kept: string | null = null;
  #findings = 0;
  #parts: Parts | null = null;
  #orphans: Orphans | null = null;
  #people: People = { seats: [], vendorSeats: [] };

  private constructor(size: Size, folder: string, hasOwnClock: boolean) {
    this.size = size;
    this.folder = folder;
    this.journals = ["players", "vendor"].map((name) => join(folder, `${name}.jsonl`));
    this.database = new FaultDatabase(folder, hasOwnClock);
  }

  /**
   * A site with the demo, fifty players and a vendor at play.
   * @param hasOwnClock whether the clock of its database will be set
   */
  static async open(size: Size, seed: string, hasOwnClock: boolean): Promise<Site> {
    clearKilledRuns();
    const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    chmodSync(folder, 0o755);
    const site = new Site(size, folder, hasOwnClock);
    try {
      await site.#begin(seed);
      return site;
    } catch (error) {
      site.keepLog();
      await site.close();
      throw error;
    }
  }

  get seats(): readonly Seat[] {
    return this.#people.seats;
  }

  /** The lines between players and each server. */
  get lines(): readonly TcpLine[] {
    return this.#get().lines;
  }

  /** The line between the servers and the database. */
  get databaseLine(): TcpLine {
    return this.#get().databaseLine;
  }

  /** The line between the servers and the payment provider. */
  get gatewayLine(): TcpLine {
    return this.#get().gatewayLine;
  }

  /** Jobs of servers that were killed. */
  get orphans(): Orphans {
    if (this.#orphans === null) throw new Error("the site is not open");
    return this.#orphans;
  }

  get redis(): RunningRedis {
    const { redis } = this.#get();
    if (redis === null) throw new Error("a server alone has no Redis");
    return redis;
  }

  /** The clerk who ends payments at the outside provider. */
  get clerk(): Clerk {
    return this.#get().clerk;
  }

  server(number: number): ServerProcess {
    const server = this.servers[number];
    if (server === null || server === undefined) throw new Error(`server ${number} does not run`);
    return server;
  }

  /** Replaces a process that has ended; resolves when the new one is ready. */
  async startServer(number: number, clockOffsetMs = 0): Promise<void> {
    const { databaseLine, redis, gatewayLine, lines } = this.#get();
    const line = lines[number];
    if (line === undefined) throw new Error(`no line leads to server ${number}`);
    const server = await startServerProcess(
      {
        ...{ NODE_ENV: "test", TRUST_PROXY: "1", SESSION_SECRET },
        DATABASE_URL: `postgres://perya@localhost:${databaseLine.port}/perya`,
        PUBLIC_URL: lines[0]?.url ?? "",
        ...(redis === null ? {} : { REDIS_URL: redis.url }),
        PAYMENT_GATEWAY_URL: gatewayLine.url,
        PAYMENT_GATEWAY_MERCHANT: "campaign",
        PAYMENT_GATEWAY_SECRET: GATEWAY_SECRET,
        CLOCK_OFFSET_MS: String(clockOffsetMs),
        STOP_GRACE_MS,
      },
      {
        imports: clockOffsetMs === 0 ? [] : [SHIFTED_CLOCK],
        onLine: (line) => this.#hear(`${number} ${line}`),
      },
    );
    this.servers[number] = server;
    line.leadTo(server.url);
  }

  async killServer(number: number): Promise<void> {
    const server = this.server(number);
    this.servers[number] = null;
    await server.kill();
    bit("the server is gone", !(await answers(server.url)));
    await this.#orphans?.note();
  }

  /** Starts servers that do not run; answers those that ended by themselves, which is a finding. */
  async restore(): Promise<number[]> {
    const still = Symbol();
    const ended: number[] = [];
    for (const [number, server] of this.servers.entries()) {
      if (server !== null) {
        const state = await Promise.race([server.ended, sleep(1).then(() => still)]);
        if (state === still) continue;
        ended.push(number);
      }
      await this.startServer(number);
    }
    // A step that failed between `rest` and `goOn` has left players resting.
    this.goOn();
    return ended;
  }

  /** Resolves when every server reports that it is ready. */
  async ready(): Promise<void> {
    const by = performance.now() + READY_MS;
    for (const server of this.servers) {
      if (server === null) throw new Error("a server does not run");
      for (;;) {
        const status = await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(5_000) })
          .then((answer) => answer.status)
          .catch(() => 0);
        if (status === 200) break;
        if (performance.now() > by) throw new Error(`a server is not ready: ${status}`);
        await sleep(100);
      }
    }
  }

  /** Resolves when players and vendor have no request under way. */
  async rest(): Promise<void> {
    const { players, vendor } = this.#get();
    await Promise.all([players, vendor].map((one) => told(one, "rest")));
  }

  goOn(): void {
    const { players, vendor } = this.#get();
    for (const one of [players, vendor]) one.send("go on" satisfies Order);
  }

  async killVendor(): Promise<void> {
    const { vendor } = this.#get();
    const ended = once(vendor, "exit");
    vendor.kill("SIGKILL");
    await ended;
  }

  async startVendor(): Promise<void> {
    const parts = this.#get();
    parts.vendor = await start("vendor.ts", this.#vendorFile());
  }

  signalVendor(signal: NodeJS.Signals): void {
    this.#get().vendor.kill(signal);
  }

  signalGateway(signal: NodeJS.Signals): void {
    this.#get().gateway.signal(signal);
  }

  async killGateway(): Promise<void> {
    await this.#get().gateway.stop();
  }

  async startGateway(): Promise<void> {
    const parts = this.#get();
    parts.gateway = await startPaymentGateway(GATEWAY_SECRET, this.#books());
    parts.gatewayLine.leadTo(parts.gateway.url);
  }

  /** After a finding: saves the servers' log since the last one, and prints its folder. */
  keepLog(): void {
    this.#kept ??= mkdtempSync(join(tmpdir(), "perya-found-"));
    this.#findings += 1;
    const file = join(this.#kept, `servers-${this.#findings}.log`);
    writeFileSync(file, `${this.#said.splice(0).join("\n")}\n`);
    process.stdout.write(`    what the servers said: ${file}\n`);
  }

  async close(): Promise<void> {
    const parts = this.#parts;
    parts?.clerk.close();
    this.#orphans?.close();
    for (const one of [parts?.players, parts?.vendor]) one?.kill("SIGKILL");
    for (const server of this.servers) await server?.kill();
    await parts?.gateway.stop();
    parts?.redis?.stop();
    const lines = parts === null ? [] : [parts.databaseLine, parts.gatewayLine, ...parts.lines];
    await Promise.all(lines.map((line) => line.close()));
    await this.database.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #hear(line: string): void {
    this.#said.push(line);
    if (this.#said.length > LINES_MOST) this.#said = this.#said.slice(-LINES_MOST / 2);
  }

  #get(): Parts {
    if (this.#parts === null) throw new Error("the site is not open");
    return this.#parts;
  }

  async #begin(seed: string): Promise<void> {
    await this.database.start();
    const nowhere = "http://localhost:1";
    const gateway = await startPaymentGateway(GATEWAY_SECRET, this.#books());
    const parts: Omit<Parts, "players" | "vendor"> = {
      redis: this.size === 1 ? null : await startRedis(),
      databaseLine: await openTcpLine(this.database.url.replace("postgres", "http")),
      lines: await Promise.all(Array.from({ length: this.size }, () => openTcpLine(nowhere))),
      gatewayLine: await openTcpLine(gateway.url),
      gateway,
      clerk: openClerk(() => this.#get().gateway, seed),
    };
    // The others begin when there are games to play.
    this.#parts = parts as Parts;
    await this.startServer(0);
    this.#people = await peopleOf(this.database.url);
    for (let number = 1; number < this.size; number++) await this.startServer(number);
    // Restarted servers read the brand's payment methods anew.
    for (const number of this.servers.keys()) {
      await this.killServer(number);
      await this.startServer(number);
    }
    this.#orphans = new Orphans(this.database, parts.databaseLine);
    const urls = parts.lines.map(({ url }) => url);
    const seatsFile = join(this.folder, "seats.json");
    writeFileSync(seatsFile, JSON.stringify(this.seats));
    const [journalFile = "", vendorJournal = ""] = this.journals;
    for (const journal of this.journals) writeFileSync(journal, "");
    const keys = Object.fromEntries(
      this.#people.vendorSeats.map(({ vendor }) => [
        vendor,
        simulatedVendorSecret(SESSION_SECRET, vendor),
      ]),
    );
    const forVendor: VendorOptions = {
      ...{ urls, seed, journalFile: vendorJournal, keys, seats: this.#people.vendorSeats },
    };
    writeFileSync(this.#vendorFile(), JSON.stringify(forVendor));
    const forPlayers: PlayersOptions = { urls, seatsFile, journalFile, seed };
    this.#parts = {
      ...parts,
      players: await start("players.ts", JSON.stringify(forPlayers)),
      vendor: await start("vendor.ts", this.#vendorFile()),
    };
  }

  #books(): string {
    return join(this.folder, "provider.json");
  }

  #vendorFile(): string {
    return join(this.folder, "vendor.json");
  }
}

interface Parts {
  readonly redis: RunningRedis | null;
  readonly databaseLine: TcpLine;
  readonly lines: readonly TcpLine[];
  readonly gatewayLine: TcpLine;
  gateway: PaymentGateway;
  readonly clerk: Clerk;
  readonly players: ChildProcess;
  vendor: ChildProcess;
}

/** A killed run leaves its folder and the disks in it; the next run clears both. */
function clearKilledRuns(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    removeDisks(join(tmpdir(), name));
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

async function start(program: string, argument: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = fork(script, [argument], { execArgv: ["--import", "tsx"] });
  await once(child, "message");
  return child;
}

async function told(child: ChildProcess, order: Order): Promise<void> {
  const done = once(child, "message");
  child.send(order);
  await done;
}
