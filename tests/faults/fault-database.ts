import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  findPrograms,
  type Programs,
  type RunAs,
  unprivilegedUser,
} from "../../apps/server/src/platform/postgres/programs.ts";
import { freePort } from "../setup/free-port.ts";
import { killTree, signalTree } from "../setup/process-tree.ts";

const DATA_DISK = "600m";
const WAL_DISK = "320m";
const START_MS = 30_000;
/** The folder where Debian's packages keep the libraries of each architecture. */
const LIBRARIES = "/usr/lib";
/** PostgreSQL's default. */
const CONNECTIONS_MAX = 100;

/** A cluster from a base backup that follows the first one, or replays the first one's archive. */
type Role = "standby" | "restored";

interface Cluster {
  readonly home: string;
  readonly data: string;
  readonly wal: string;
  readonly archive: string;
  readonly port: number;
  process: ChildProcess;
}

/**
 * A PostgreSQL for faults: durable, archiving, on its own disks that can be filled (tmpfs, if this
 * process may mount), with copies that follow or replace it. It trusts loopback; it lives in a
 * folder of a run and holds invented players.
 */
export class FaultDatabase {
  readonly #folder: string;
  readonly #runAs: RunAs;
  readonly #programs: Programs;
  /** The clock of the cluster's processes; null if it is the machine's. */
  readonly #clock: OwnClock | null;
  #clusters = 0;
  #cluster: Cluster | null = null;

  /** @param hasOwnClock whether its clock will be set, if libfaketime is installed */
  constructor(folder: string, hasOwnClock = false) {
    this.#folder = folder;
    this.#clock = hasOwnClock ? ownClockIn(folder) : null;
    this.#runAs = unprivilegedUser();
    this.#programs = findPrograms(folder, this.#runAs);
  }

  /** The address of the current cluster. */
  get url(): string {
    return urlOf(this.#current().port);
  }

  /** Whether this process may mount disks for a cluster. */
  get hasDisks(): boolean {
    return process.getuid?.() === 0;
  }

  /** Whether `setClock` works. */
  get hasOwnClock(): boolean {
    return this.#clock !== null;
  }

  /** Shifts its clock from the machine's while it serves; this takes effect within a second. */
  setClock(offsetMs: number): void {
    if (this.#clock === null) throw new Error("the database has the machine's clock");
    writeFileSync(this.#clock.file, `${offsetMs < 0 ? "-" : "+"}${Math.abs(offsetMs) / 1_000}`);
  }

  async start(): Promise<void> {
    const cluster = await this.#make();
    execFileSync(
      this.#programs.initdb,
      [
        ...[`--pgdata=${cluster.data}`, `--waldir=${cluster.wal}`, "--wal-segsize=1"],
        ...["--username=perya", "--auth=trust", "--encoding=UTF8"],
        ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-sync"],
      ],
      { ...this.#runAs, cwd: "/", env: { PATH: process.env.PATH, LC_ALL: "C" } },
    );
    this.#cluster = { ...cluster, process: await this.#serve(cluster) };
    await this.ask("CREATE DATABASE perya", "postgres");
  }

  /** Runs one statement on a separate connection. */
  ask(sql: string, database = "perya"): Promise<pg.QueryResult> {
    return askAt(this.#current().port, sql, database);
  }

  /** SIGKILL of the postmaster and all its processes at once. */
  async kill(): Promise<void> {
    const { process: server } = this.#current();
    const ended = endOf(server);
    killTree(pidOf(server));
    await ended;
  }

  /** Restarts a cluster that was killed, or ended by itself. */
  async restart(): Promise<void> {
    const cluster = this.#current();
    if (!hasEnded(cluster.process)) await this.kill();
    cluster.process = await this.#serve(cluster);
  }

  /** SIGSTOP: every connection stays open, none gets an answer. */
  hang(): void {
    signalTree(pidOf(this.#current().process), "SIGSTOP");
  }

  goOn(): void {
    signalTree(pidOf(this.#current().process), "SIGCONT");
  }

  /** Leaves no free byte on a disk until `free` is called. */
  fill(disk: "data" | "wal"): { free(): void } {
    const cluster = this.#current();
    const at = disk === "data" ? cluster.home : join(cluster.wal, "..");
    const ballast = join(at, "ballast");
    const { bavail, bsize } = statfsSync(at);
    const room = bavail * bsize;
    if (room > 0) execFileSync("fallocate", ["-l", String(room), ballast]);
    return { free: () => rmSync(ballast, { force: true }) };
  }

  /** A base backup for another cluster, taken while this one serves. */
  async baseBackup(): Promise<string> {
    const { data, port } = this.#current();
    const copy = await this.#make();
    const client = await connect(port, "postgres");
    try {
      await client.query("SELECT pg_backup_start('campaign', true)");
      const tar = `tar -C '${data}' --exclude=./pg_wal --exclude=./postmaster.pid \
        --warning=no-file-changed --ignore-failed-read -cf - . | tar -C '${copy.data}' -xf -`;
      execFileSync("/bin/sh", ["-c", tar], { stdio: ["ignore", "ignore", "ignore"] });
      const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
      this.#write(join(copy.data, "backup_label"), rows[0].labelfile);
    } finally {
      await client.end();
    }
    this.#folderOf(copy.wal);
    execFileSync("ln", ["-s", copy.wal, join(copy.data, "pg_wal")]);
    return copy.home;
  }

  /** Adds a synchronous standby, made from a base backup; no commit succeeds without it. */
  async followed(): Promise<{ takeOver(): Promise<void> }> {
    const primary = this.#current();
    const home = await this.baseBackup();
    const standby = await this.#begin(home, "standby", {
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=perya`,
    });
    await this.ask("ALTER SYSTEM SET synchronous_standby_names = '*'", "postgres");
    await this.ask("SELECT pg_reload_conf()", "postgres");
    await until("the standby follows", async () => {
      const { rowCount } = await this.ask(
        "SELECT FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'",
      );
      return rowCount === 1;
    });
    return {
      takeOver: async () => {
        await this.kill();
        await askAt(standby.port, "SELECT pg_promote(true, 30)", "postgres");
        this.#cluster = standby;
        this.#drop(primary);
      },
    };
  }

  /** Starts from a base backup and replays the archive up to a point in time. */
  async restore(home: string, until: string): Promise<void> {
    const lost = this.#current();
    if (!hasEnded(lost.process)) await this.kill();
    try {
      this.#cluster = await this.#begin(home, "restored", {
        restore_command: `cp ${lost.archive}/%f %p`,
        recovery_target_time: until,
        recovery_target_action: "promote",
      });
    } catch (error) {
      // Servers wait for a database until there is one.
      await this.restart();
      throw error;
    }
    this.#drop(lost);
  }

  /** Closes the current WAL file, so that it is archived. */
  async archiveNow(): Promise<void> {
    const { rows } = await this.ask("SELECT pg_walfile_name(pg_switch_wal()) AS name");
    const file = join(this.#current().archive, rows[0].name);
    await until("the log is archived", async () => existsSync(file));
  }

  async stop(): Promise<void> {
    const cluster = this.#cluster;
    if (cluster === null) return;
    if (!hasEnded(cluster.process)) {
      signalTree(pidOf(cluster.process), "SIGCONT");
      await this.kill();
    }
    this.#drop(cluster);
  }

  #current(): Cluster {
    if (this.#cluster === null) throw new Error("the database has not begun");
    return this.#cluster;
  }

  async #make(): Promise<Omit<Cluster, "process">> {
    this.#clusters += 1;
    return this.#placeOf(join(this.#folder, `cluster-${this.#clusters}`), await freePort());
  }

  #placeOf(home: string, port: number): Omit<Cluster, "process"> {
    const logDisk = join(home, "log-disk");
    const place = {
      ...{ home, port, data: join(home, "data"), wal: join(logDisk, "wal") },
      archive: `${home}-archive`,
    };
    if (existsSync(home)) return place;
    mkdirSync(home);
    this.#mount(home, DATA_DISK);
    mkdirSync(logDisk);
    this.#mount(logDisk, WAL_DISK);
    for (const folder of [place.data, place.archive]) this.#folderOf(folder);
    return place;
  }

  #mount(folder: string, size: string): void {
    chmodSync(folder, 0o755);
    if (this.hasDisks) {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "tmpfs", folder]);
    }
    if (this.#runAs !== null) chownSync(folder, this.#runAs.uid, this.#runAs.gid);
  }

  #folderOf(folder: string): void {
    mkdirSync(folder, { mode: 0o700 });
    if (this.#runAs !== null) chownSync(folder, this.#runAs.uid, this.#runAs.gid);
  }

  #write(file: string, text: string): void {
    writeFileSync(file, text, { mode: 0o600 });
    if (this.#runAs !== null) chownSync(file, this.#runAs.uid, this.#runAs.gid);
  }

  async #begin(home: string, role: Role, settings: Record<string, string>): Promise<Cluster> {
    const cluster = this.#placeOf(home, await freePort());
    this.#write(join(cluster.data, role === "standby" ? "standby.signal" : "recovery.signal"), "");
    const server = await this.#serve(cluster, settings);
    if (role === "restored") {
      await until("the point in time is reached", async () => {
        const { rows } = await askAt(cluster.port, "SELECT pg_is_in_recovery() AS yes", "postgres");
        return !rows[0].yes;
      });
    }
    return { ...cluster, process: server };
  }

  /** Resolves when it answers. */
  async #serve(cluster: Omit<Cluster, "process">, more: Record<string, string> = {}) {
    const to = `${cluster.archive}/%f`;
    const settings: Record<string, string> = {
      ...{ listen_addresses: "127.0.0.1", port: String(cluster.port), unix_socket_directories: "" },
      ...{ max_connections: String(CONNECTIONS_MAX), shared_buffers: "64MB", timezone: "UTC" },
      ...{ wal_level: "replica", max_wal_senders: "8", hot_standby: "on", wal_keep_size: "32MB" },
      ...{ max_wal_size: "64MB", min_wal_size: "8MB", wal_compression: "pglz" },
      // A copy that a kill cut short must not look like the whole file.
      ...{ archive_mode: "on", archive_command: `cp %p ${to}.part && mv ${to}.part ${to}` },
      log_min_error_statement: "panic",
      ...more,
    };
    const log = openSync(join(this.#folder, "postgres.log"), "a");
    const server = spawn(
      this.#programs.postgres,
      ["-D", cluster.data, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
      {
        ...this.#runAs,
        cwd: "/",
        env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", ...this.#clock?.env },
        stdio: ["ignore", log, log],
      },
    );
    closeSync(log);
    await until("the database answers", async () => {
      if (hasEnded(server)) throw new Error(`PostgreSQL ended; see ${this.#folder}/postgres.log`);
      await askAt(cluster.port, "SELECT 1", "postgres");
      return true;
    });
    return server;
  }

  /** Unmounts and removes a cluster that no longer serves. */
  #drop({ home, archive }: Cluster): void {
    removeDisks(home);
    for (const folder of [home, archive]) rmSync(folder, { recursive: true, force: true });
  }
}

interface OwnClock {
  readonly file: string;
  readonly env: Record<string, string>;
}

/** Debian's libfaketime reads the file once a second; durations stay true. */
function ownClockIn(folder: string): OwnClock | null {
  const libraries = existsSync(LIBRARIES) ? readdirSync(LIBRARIES) : [];
  const library = libraries
    .map((name) => join(LIBRARIES, name, "faketime", "libfaketime.so.1"))
    .find((path) => existsSync(path));
  if (library === undefined) return null;
  const file = join(folder, "clock");
  writeFileSync(file, "+0", { mode: 0o644 });
  const env = {
    ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: "1" },
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { file, env };
}

/** Unmounts everything mounted in a folder, the innermost first. */
export function removeDisks(folder: string): void {
  const mounted = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .flatMap((line) => line.split(" ")[1] ?? [])
    .filter((path) => path === folder || path.startsWith(`${folder}/`));
  for (const path of mounted.reverse()) execFileSync("umount", ["-l", path]);
}

function urlOf(port: number, database = "perya"): string {
  return `postgres://perya@127.0.0.1:${port}/${database}`;
}

async function connect(port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: urlOf(port, database),
    connectionTimeoutMillis: 3_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function askAt(port: number, sql: string, database: string): Promise<pg.QueryResult> {
  const client = await connect(port, database);
  try {
    return await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("PostgreSQL could not be run");
  return pid;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function endOf(server: ChildProcess): Promise<void> {
  if (!hasEnded(server)) await once(server, "exit");
}

/** @throws Error with the last fault on the way, if the condition does not hold in time */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  let fault: unknown = null;
  for (let waited = 0; waited < START_MS; waited += 50) {
    try {
      if (await holds()) return;
    } catch (error) {
      fault = error;
    }
    await sleep(50);
  }
  throw new Error(`not in time: ${what}`, { cause: fault });
}
