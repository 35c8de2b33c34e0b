import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { MINUTE_MS } from "@perya/kernel/instant";
import type { Config } from "../config.ts";
import { systemEntropy } from "../entropy.ts";
import { inTime } from "../in-time.ts";
import type { Logger } from "../log.ts";
import { repeat } from "../repeat.ts";
import { lastLines, logFileOf, turnLog } from "./embedded-log.ts";
import { lockFolder } from "./folder-lock.ts";
import { canEnter, findPrograms, type Programs, type RunAs, unprivilegedUser } from "./programs.ts";
import { WatchfulClient } from "./watchful-client.ts";

export interface EmbeddedOptions {
  /** The product's data folder; made when absent. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Loopback port; a free one when absent. */
  readonly port?: number;
  /** False trades durability for speed; for clusters that live as long as a test run. */
  readonly durable?: boolean;
  /** Ends the start, and PostgreSQL with it, whatever it waits for. */
  readonly stopping?: AbortSignal;
  /** How often the size of its log is checked; tests set a shorter time. */
  readonly logLookMs?: number;
  /** How long PostgreSQL may take until it says that it starts. */
  readonly silenceMs?: number;
  /** How often the wait for its start is logged. */
  readonly tellMs?: number;
}

export interface EmbeddedPostgres {
  /** A superuser's URL of the database `perya`, password included: never log it. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when PostgreSQL has ended, whether asked to or not. */
  readonly ended: Promise<void>;
  /** Fast shutdown: open transactions roll back, what was committed is on disk. */
  stop(): Promise<void>;
}

const USER = "perya";
const DATABASE = "perya";
/** Where a folder goes that PostgreSQL's own user can enter; the second for read-only systems. */
const REACHABLE_PARENTS = ["/var/lib", "/var/tmp"];
/** It says that it starts before it reads its data, on any disk. */
const SILENCE_MS = 120_000;
const TELL_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;
/** For one that took no connection yet: three times this is within a process's own time to end. */
const STOP_UNOPENED_MS = 7_000;
const POLL_MS = 25;
const PORT_TRIES = 5;
/** Of the postmaster's pid file, counted from 0. */
const PORT_LINE = 3;
const STATE_LINE = 7;
const LOG_LOOK_MS = MINUTE_MS;
const NEVER = new AbortController().signal;

const run = promisify(execFile);

/**
 * Starts PostgreSQL from its npm platform package on `dataDir`, on loopback only, with a generated
 * password. A PostgreSQL that an earlier, killed Perya left running there is shut down first
 * (docs/decisions/0001-embedded-postgres.md). A recovery is waited for as long as it takes.
 * @throws FolderInUseError if another live process holds the folder
 * @throws the reason of `stopping` if that came before the database was open
 * @throws Error with PostgreSQL's own last words if it does not start
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const home = openHome(options.dataDir, unprivilegedUser());
  const lock = await lockFolder(home, options.dataDir);
  try {
    const cluster = join(home, "cluster");
    const runAs = userOf(cluster);
    const place = { home, cluster, runAs, options };
    const programs = findPrograms(home, runAs);
    await stopLeftover(place, programs);
    if (!existsSync(cluster)) await initialise(place, programs);
    const server = await startServer(place, programs);
    const ended = server.ended.then(lock.release);
    const stop = () => server.stop().then(() => ended);
    return { ...server, ended, stop };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Place {
  readonly home: string;
  readonly cluster: string;
  readonly runAs: RunAs;
  readonly options: EmbeddedOptions;
}

/**
 * `<dataDir>/postgres`: a folder, or a link to one elsewhere if PostgreSQL's user cannot enter the
 * data folder (a clone under /root). The link records where the data went, so they are found even
 * if the modes above it change later, and removing the data folder still means starting afresh.
 */
function openHome(dataDir: string, runAs: RunAs): string {
  mkdirSync(dataDir, { recursive: true });
  const home = join(dataDir, "postgres");
  const known = lstatSync(home, { throwIfNoEntry: false });
  if (known === undefined) makeHome(dataDir, home, runAs);
  else if (known.isSymbolicLink() && !existsSync(home)) {
    throw new Error(
      `${home} points to a database folder that is gone; bring it back, or remove ` +
        `${home} to begin with an empty database`,
    );
  }
  return realpathSync(home);
}

function makeHome(dataDir: string, home: string, runAs: RunAs): void {
  if (canEnter(dataDir, runAs)) {
    mkdirSync(home, { recursive: true, mode: 0o755 });
    chmodSync(home, 0o755);
    return;
  }
  const parent = REACHABLE_PARENTS.find((folder) => canEnter(folder, runAs));
  if (parent === undefined) {
    throw new Error(
      `PostgreSQL's user can enter neither ${dataDir} nor ${REACHABLE_PARENTS.join(" nor ")}; ` +
        "set DATA_DIR to a folder that others may enter, or DATABASE_URL",
    );
  }
  const elsewhere = mkdtempSync(join(parent, "perya-"));
  chmodSync(elsewhere, 0o755);
  symlinkSync(elsewhere, home);
}

/**
 * A cluster is served under the user it belongs to, so that one made before a `sudo` still runs.
 * @throws Error if this process may not act as that user
 */
function userOf(cluster: string): RunAs {
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const user = unprivilegedUser();
  if (owner === undefined) return user;
  if (user !== null) return owner.uid === 0 ? user : { uid: owner.uid, gid: owner.gid };
  if (owner.uid !== process.getuid?.()) {
    throw new Error(
      `${cluster} belongs to another user (${owner.uid}), because Perya was first started by ` +
        "that user or as root; start it the same way, or set DATA_DIR to another folder",
    );
  }
  return null;
}

/** Builds the cluster beside its place and moves it in whole: a killed first start leaves none. */
async function initialise({ home, cluster, runAs, options }: Place, programs: Programs) {
  const unfinished = join(home, "cluster.new");
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const password = Buffer.from(systemEntropy.bytes(24)).toString("base64url");
  writePrivate(join(home, "password"), password);
  // initdb runs as the other user and reads the password from a file of its own.
  const handedOver = join(home, "password.new");
  writePrivate(handedOver, password);
  if (runAs !== null) {
    chownSync(unfinished, runAs.uid, runAs.gid);
    chownSync(handedOver, runAs.uid, runAs.gid);
  }
  // Tests connect some thousand times to what they remove afterwards: a slow proof of an
  // unguessable password was half of each connection's work.
  const proof =
    options.durable === false
      ? ["--no-sync", "--auth=password", "--set=scram_iterations=1"]
      : ["--auth=scram-sha-256"];
  try {
    await run(
      programs.initdb,
      [
        `--pgdata=${unfinished}`,
        `--username=${USER}`,
        `--pwfile=${handedOver}`,
        "--encoding=UTF8",
        // The same order and letter cases on every machine, whatever its locales.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        ...proof,
      ],
      { ...runAs, cwd: "/", env: programEnvironment(), signal: options.stopping },
    );
  } catch (error) {
    options.stopping?.throwIfAborted();
    throw new Error(`PostgreSQL could not set up its folder: ${lastWords(error)}`);
  } finally {
    rmSync(handedOver, { force: true });
  }
  renameSync(unfinished, cluster);
}

function writePrivate(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
}

function lastWords(error: unknown): string {
  const words = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return words === "" ? String(error) : words;
}

/** PostgreSQL's programs get no variables of ours: they would show in /proc to its user. */
function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}

async function startServer(place: Place, programs: Programs): Promise<EmbeddedPostgres> {
  const { home, options } = place;
  const { stopping = NEVER } = options;
  await turnLog(home, options.log);
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await freePort());
    stopping.throwIfAborted();
    const server = await openServer(place, programs, port);
    if (server !== null) return server;
    // A free port may be taken before PostgreSQL binds it, and the last processes of a killed
    // server may still be releasing its shared memory: both pass by themselves.
    if (tries === PORT_TRIES) {
      throw new Error(`PostgreSQL did not start: ${lastLines(home)}`);
    }
    await sleep(200 * tries);
  }
}

/** Null if PostgreSQL ended by itself before it was open. */
async function openServer(
  place: Place,
  programs: Programs,
  port: number,
): Promise<EmbeddedPostgres | null> {
  const { home, options } = place;
  const child = spawnServer(place, programs, port);
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", () => done());
  });
  const state = () => stateOf(place.cluster, child, port);
  const toldEnough = tellOfWait(place, state);
  try {
    const url = databaseUrl(port, readFileSync(join(home, "password"), "utf8"));
    const opening = becameReady(state, ended, options).then(async (isReady) => {
      if (isReady) await ensureDatabase(url);
      return isReady;
    });
    if (!(await unlessAborted(opening, options.stopping ?? NEVER))) return null;
    keepLogSmall(place, ended);
    const stop = () => stopServer(child, ended, STOP_TIMEOUT_MS);
    return { url: url(DATABASE), pid: child.pid ?? 0, ended, stop };
  } catch (error) {
    // Otherwise nobody would know of it, since the caller gets only the error.
    await stopServer(child, ended, STOP_UNOPENED_MS);
    throw error;
  } finally {
    toldEnough.abort();
  }
}

/** An operator whose server does not open must see that it is not stuck. */
function tellOfWait({ options }: Place, state: () => string): AbortController {
  const { log, tellMs = TELL_MS } = options;
  const enough = new AbortController();
  let waitedMs = 0;
  const tell = async () => {
    waitedMs += tellMs;
    log.warn(
      { waitedMs, state: state() },
      "PostgreSQL is not open yet; postgres.log says what it does",
    );
  };
  void repeat(tell, () => tellMs, enough.signal);
  return enough;
}

/** @throws the signal's reason as soon as that is aborted; the work goes on unobserved */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const heard = new AbortController();
  const aborted = new Promise<never>((_, fail) => {
    const onAbort = () => fail(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true, signal: heard.signal });
  });
  return Promise.race([work, aborted]).finally(() => heard.abort());
}

/** A process may run for a year, and each refused statement writes a line. */
function keepLogSmall({ home, options }: Place, ended: Promise<void>): void {
  const over = new AbortController();
  void ended.then(() => over.abort());
  const lookMs = options.logLookMs ?? LOG_LOOK_MS;
  void repeat(
    () => turnLog(home, options.log),
    () => lookMs,
    over.signal,
  );
}

function spawnServer({ home, cluster, runAs, options }: Place, programs: Programs, port: number) {
  // For appending, so that writes after a turn begin at the start again.
  const log = openSync(logFileOf(home), "a", 0o600);
  const settings = Object.entries(serverSettings(port, options.durable !== false));
  const child = spawn(
    programs.postgres,
    ["-D", cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      ...runAs,
      cwd: "/",
      env: programEnvironment(),
      stdio: ["ignore", log, log],
      // Its own session: Ctrl-C must reach PostgreSQL only after requests have drained.
      detached: true,
    },
  );
  child.on("error", (error) => options.log.error({ err: error }, "PostgreSQL could not be run"));
  child.unref();
  closeSync(log);
  return child;
}

function serverSettings(port: number, durable: boolean): Record<string, string | number> {
  return {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    password_encryption: "scram-sha-256",
    // A test run has many servers at one cluster.
    max_connections: durable ? 100 : 400,
    shared_buffers: "256MB",
    effective_cache_size: "1GB",
    work_mem: "8MB",
    maintenance_work_mem: "128MB",
    max_wal_size: "2GB",
    wal_compression: "pglz",
    checkpoint_timeout: "15min",
    // Solid-state disks read at random as fast as in sequence.
    random_page_cost: "1.1",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    log_min_messages: "warning",
    // Statements may contain names and contact data; their text stays out of the log.
    log_min_error_statement: "panic",
    fsync: durable ? "on" : "off",
    synchronous_commit: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
  };
}

/**
 * The postmaster's last word about itself: `starting` for as long as it recovers, then `ready`;
 * empty until it says anything.
 */
function stateOf(cluster: string, { pid }: ChildProcess, port: number): string {
  const lines = postmasterFile(cluster);
  // In a restarted container, an earlier one may have had the same number.
  const isOurs = Number(lines[0]) === pid && Number(lines[PORT_LINE]) === port;
  return isOurs ? (lines[STATE_LINE]?.trim() ?? "") : "";
}

/**
 * A recovery has no time limit: one that is stopped begins again from its start, and would never
 * end on a slow disk. Only PostgreSQL's first word has a limit.
 * @returns false if it ended before it was ready
 * @throws Error if it lives and says nothing
 */
async function becameReady(
  state: () => string,
  ended: Promise<void>,
  { silenceMs = SILENCE_MS }: EmbeddedOptions,
): Promise<boolean> {
  for (let silentMs = 0; silentMs < silenceMs; ) {
    const said = state();
    if (said === "ready") return true;
    if (await inTime(POLL_MS, ended)) return false;
    if (said === "") silentMs += POLL_MS;
  }
  throw new Error(`PostgreSQL did not say within ${silenceMs / 1000} s that it starts`);
}

/** No time limits it: the next start would begin a cut-off statement again. */
async function ensureDatabase(url: (database: string) => string): Promise<void> {
  const client = new WatchfulClient({ connectionString: url("postgres") });
  // A connection that breaks tells its statement; unhandled, the event would end us.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [
      DATABASE,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function databaseUrl(port: number, password: string): (database: string) => string {
  return (database) => `postgres://${USER}:${password.trim()}@127.0.0.1:${port}/${database}`;
}

/** Fast first; then immediate, which costs a recovery but loses nothing; then by force. */
async function stopServer(
  child: ChildProcess,
  ended: Promise<void>,
  patienceMs: number,
): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    if (await inTime(patienceMs, ended)) return;
  }
}

/**
 * A killed Perya leaves its PostgreSQL running. It is shut down and started again rather than
 * adopted: half a second buys settings and programs that are certainly this version's, and a child
 * whose end is noticed.
 */
async function stopLeftover(place: Place, programs: Programs): Promise<void> {
  const { cluster, runAs, options } = place;
  const { log, stopping = NEVER } = options;
  const pid = Number(postmasterFile(cluster)[0]);
  if (!Number.isInteger(pid) || pid <= 1) return;
  if (!(await isPostmaster(pid, cluster))) {
    // The number may by now belong to a stranger, or to a dead process that nobody has reaped, and
    // PostgreSQL would refuse to start because of it. A number without a process stays: by this
    // file PostgreSQL itself sees whether a dead server's last processes are still there.
    if (isAlive(pid)) {
      await lastProcessesGone(cluster);
      rmSync(join(cluster, "postmaster.pid"), { force: true });
    }
    return;
  }
  log.warn({ pid }, "an earlier Perya was killed and left its database running; restarting it");
  for (const mode of ["fast", "immediate"]) {
    const stopped = await run(
      programs.pgCtl,
      ["stop", `--pgdata=${cluster}`, `--mode=${mode}`, "--wait", "--timeout=20"],
      { ...runAs, cwd: "/", env: programEnvironment(), signal: stopping },
    ).then(
      () => true,
      () => !existsSync(join(cluster, "postmaster.pid")),
    );
    stopping.throwIfAborted();
    if (stopped) return;
  }
  throw new Error(`the database that was left running (process ${pid}) does not stop`);
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({
    stdout: readCommandLine(pid),
  }));
  return stdout.includes("postgres") && stdout.includes(cluster);
}

/**
 * Waits until no process holds the shared memory that the pid file names in its seventh line, since
 * two servers on one cluster would ruin it. Linux lists who is attached; elsewhere the pid check
 * above must do.
 */
async function lastProcessesGone(cluster: string): Promise<void> {
  const segment = postmasterFile(cluster)[6]?.trim().split(/\s+/)[1];
  const list = "/proc/sysvipc/shm";
  if (segment === undefined || !existsSync(list)) return;
  for (let waited = 0; waited < STOP_TIMEOUT_MS; waited += POLL_MS) {
    const row = readFileSync(list, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .find((columns) => columns[1] === segment);
    // Columns: key, shmid, perms, size, cpid, lpid, nattch, …
    if (row === undefined || row[6] === "0") return;
    await sleep(POLL_MS);
  }
  throw new Error(`processes of an earlier PostgreSQL on ${cluster} do not end`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** For machines without `ps`, such as slim containers. */
function readCommandLine(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll("\0", " ") : "";
}

function postmasterFile(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    // Absent, or being replaced at this moment: nothing known yet.
    return [];
  }
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}

/**
 * The URL of the database that a live Perya runs on `dataDir`, for programs beside it; null if none
 * runs.
 */
export async function runningDatabaseUrl(dataDir: string): Promise<string | null> {
  const home = join(dataDir, "postgres");
  if (!existsSync(home)) return null;
  const cluster = join(realpathSync(home), "cluster");
  const [pid, , , port] = postmasterFile(cluster);
  if (pid === undefined || !(await isPostmaster(Number(pid), cluster))) return null;
  return databaseUrl(Number(port), readFileSync(join(home, "password"), "utf8"))(DATABASE);
}

/**
 * The database of a program beside Perya: the configured one, else the one that a live Perya runs,
 * else the embedded one itself.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  log: Logger,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const url = databaseUrl ?? (await runningDatabaseUrl(dataDir));
  return url === null ? startEmbedded({ dataDir, log }) : { url, stop: async () => {} };
}
