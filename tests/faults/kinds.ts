import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { WebSocket } from "ws";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate, readMigrations } from "../../apps/server/src/platform/postgres/migrate.ts";
import { freshId } from "../../packages/client/src/ids.ts";
import type { Chance } from "./chance.ts";
import { PLAIN } from "./clerk.ts";
import type { Site, Size } from "./site.ts";
import type { Seat } from "./world.ts";

/** What is done to a site while everybody plays; it ends with everything there again. */
export interface Kind {
  readonly name: string;
  /** How many servers it needs; a kind without one is done to either. */
  readonly size: Size;
  /** Needs a process that may mount disks. */
  readonly needsDisks?: boolean;
  /** Takes minutes on a small machine: not where time is short. */
  readonly isLong?: boolean;
  /** Throws where the product does not do what it should; the auditor looks afterwards. */
  run(site: Site, chance: Chance): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** How long a stall lasts: longer than what a player takes for slow. */
const STALL_MS = 5_000;
const CROWD = 10_000;
/** What a crowd that comes back may take, on two busy cores. */
const CROWD_BACK_MS = 180_000;

export const KINDS: readonly Kind[] = [
  alone("the server is killed", async (site, chance) => {
    await sleep(300 + chance.below(1_500));
    await site.killServer(0);
    await site.startServer(0);
  }),

  alone("the server is killed as soon as it is back", async (site, chance) => {
    for (let times = 0; times < 2; times++) {
      await site.killServer(0);
      await site.startServer(0);
      await sleep(chance.below(400));
    }
  }),

  alone("the database is killed", async (site, chance) => {
    await sleep(chance.below(1_000));
    await site.database.kill();
    await sleep(500 + chance.below(1_500));
    await site.database.restart();
  }),

  alone("the database's connections are ended", async (site, chance) => {
    for (let times = 0; times < 4; times++) {
      await site.database.ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = 'perya' AND pid <> pg_backend_pid()`,
      );
      await sleep(200 + chance.below(600));
    }
  }),

  alone("the database's connections are reset on their way", async (site, chance) => {
    for (let times = 0; times < 4; times++) {
      site.databaseLine.cut();
      await sleep(200 + chance.below(600));
    }
  }),

  alone("the database stalls", async (site) => {
    site.database.hang();
    await sleep(STALL_MS);
    site.database.goOn();
  }),

  alone("the database has no slot left", async (site) => {
    const held: pg.Client[] = [];
    for (let full = false; !full; ) {
      const client = new pg.Client({ connectionString: site.database.url });
      client.on("error", () => undefined);
      await client.connect().catch(() => {
        full = true;
      });
      if (!full) held.push(client);
    }
    // What is open goes, and cannot come back.
    site.databaseLine.cut();
    await sleep(3_000);
    await Promise.all(held.map((client) => client.end()));
  }),

  ...(["ledger_accounts", "withdrawals", "house_rounds"] as const).map((table) =>
    alone(`a lock is held on ${table}`, async (site) => {
      const client = new pg.Client({ connectionString: site.database.url });
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await sleep(STALL_MS);
      await client.query("COMMIT");
      await client.end();
    }),
  ),

  {
    ...alone("the disk of the data is full", async (site) => {
      const { free } = site.database.fill("data");
      await sleep(4_000);
      free();
      await site.database.ask("SELECT 1").catch(() => site.database.restart());
    }),
    needsDisks: true,
  },

  {
    ...alone("the disk of the log is full", async (site) => {
      const { free } = site.database.fill("wal");
      // Files of the log that were made before are used up first.
      for (let times = 0; times < 100; times++) {
        const full = await site.database.ask("SELECT pg_switch_wal(), txid_current()").then(
          () => false,
          () => true,
        );
        if (full) break;
      }
      await sleep(3_000);
      free();
      await sleep(500);
      await site.database.ask("SELECT 1").catch(() => site.database.restart());
    }),
    needsDisks: true,
  },

  alone("the database takes no writes", async (site) => {
    await site.database.ask("ALTER SYSTEM SET default_transaction_read_only = on", "postgres");
    await site.database.ask("SELECT pg_reload_conf()", "postgres");
    await sleep(4_000);
    const client = new pg.Client({ connectionString: site.database.url });
    await client.connect();
    await client.query("SET default_transaction_read_only = off");
    await client.query("ALTER SYSTEM RESET default_transaction_read_only");
    await client.query("SELECT pg_reload_conf()");
    await client.end();
  }),

  alone("the database fails over to its standby", async (site, chance) => {
    const standby = await site.database.followed();
    await sleep(500 + chance.below(1_000));
    await standby.takeOver();
    site.databaseLine.leadTo(site.database.url.replace("postgres", "http"));
  }),

  alone("the database is restored to a point in time", async (site, chance) => {
    const backup = await site.database.baseBackup();
    await sleep(1_000 + chance.below(1_000));
    // Whoever restores a database takes the site down; what was told before is to stand.
    await site.rest();
    await site.killServer(0);
    const { rows } = await site.database.ask("SELECT clock_timestamp()::text AS now");
    await sleep(50);
    await site.database.ask("UPDATE withdrawals SET amount_minor = amount_minor + 1");
    await site.database.archiveNow();
    await site.database.restore(backup, rows[0].now);
    site.databaseLine.leadTo(site.database.url.replace("postgres", "http"));
    await site.startServer(0);
    site.goOn();
  }),

  ...([1, -1] as const).map((hours) =>
    alone(`the clock is an hour ${hours > 0 ? "ahead" : "behind"}`, async (site) => {
      await site.killServer(0);
      await site.startServer(0, hours * HOUR_MS);
      await sleep(4_000);
      await site.killServer(0);
      await site.startServer(0);
    }),
  ),

  ...(["both", "from", "to"] as const).map((direction) =>
    alone(`the line to the database is half open: ${direction}`, async (site) => {
      site.databaseLine.silence(direction);
      await sleep(STALL_MS);
      site.databaseLine.mend();
    }),
  ),

  alone("the database is two seconds away", async (site) => {
    site.databaseLine.delay(1_000);
    await sleep(2 * STALL_MS);
    site.databaseLine.mend();
  }),

  alone("replies of the database are lost, of a COMMIT too", async (site, chance) => {
    site.databaseLine.loseAnswers(() => chance.percent(2));
    await sleep(STALL_MS);
    site.databaseLine.mend();
  }),

  alone("players are two seconds away", async (site) => {
    for (const line of site.lines) line.delay(1_000);
    await sleep(2 * STALL_MS);
    for (const line of site.lines) line.mend();
  }),

  alone("answers to players are lost", async (site, chance) => {
    for (const line of site.lines) line.loseAnswers(() => chance.percent(30));
    await sleep(STALL_MS);
    for (const line of site.lines) line.mend();
  }),

  alone("players' connections are half open", async (site) => {
    for (const line of site.lines) line.silence("from");
    await sleep(STALL_MS);
    for (const line of site.lines) line.mend();
  }),

  alone("a command comes a hundred times at once", async (site, chance) => {
    const seat = chance.pick(site.seats);
    const body = {
      ...{ id: freshId("round"), gameId: "color-game" },
      choices: { bets: { red: "100" } },
    };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => post(site, seat, "/api/v1/rounds", body)),
    );
    const rounds = answers.map(({ value }) => value?.round);
    const other = rounds.find((round) => !isDeepStrictEqual(round, rounds[0]));
    if (rounds[0] === undefined || other !== undefined) {
      throw new Error(`${JSON.stringify(rounds[0])} is also ${JSON.stringify(other)}`);
    }
    const { rows } = await site.database.ask(
      `SELECT count(*)::int AS bets FROM ledger_entries WHERE ref = '${body.id}' AND kind = 'bet'`,
    );
    if (rows[0].bets !== 1) throw new Error(`${rows[0].bets} bets of one command`);
  }),

  alone("the vendor is killed", async (site, chance) => {
    await sleep(chance.below(1_500));
    await site.killVendor();
    await sleep(500);
    await site.startVendor();
  }),

  alone("the vendor stalls", async (site) => {
    site.signalVendor("SIGSTOP");
    await sleep(STALL_MS);
    site.signalVendor("SIGCONT");
  }),

  alone("the provider is killed", async (site, chance) => {
    await sleep(chance.below(1_000));
    await site.killGateway();
    await sleep(2_000);
    await site.startGateway();
  }),

  alone("the provider stalls", async (site) => {
    site.signalGateway("SIGSTOP");
    await sleep(STALL_MS);
    // Nobody but who pays waits for it.
    const seat = site.seats[0];
    if (seat !== undefined) await playsOn(site, seat);
    site.signalGateway("SIGCONT");
  }),

  ...(
    [
      ["late", { ...PLAIN, lateMs: 4_000 }],
      ["three times at once", { ...PLAIN, times: 3 }],
      ["and told the opposite after", { ...PLAIN, contradicts: true }],
    ] as const
  ).map(([how, manner]) =>
    alone(`payments are told ${how}`, async (site) => {
      site.clerk.tell(manner);
      await sleep(STALL_MS);
      site.clerk.tell(PLAIN);
    }),
  ),

  alone("the server is told to end under load", async (site, chance) => {
    await sleep(chance.below(1_000));
    const server = site.server(0);
    site.servers[0] = null;
    server.signal("SIGTERM");
    const code = await server.ended;
    if (code !== 0) throw new Error(`it ended with ${code}`);
    await site.startServer(0);
  }),

  alone("the database is migrated under load", async (site) => {
    // Known to this run alone: a column on what is written most, and its removal.
    const known = readMigrations();
    const number = Math.max(...known.map((one) => one.number)) + 1;
    const migration = {
      ...{ number, name: `${number}_campaign.sql`, checksum: "campaign" },
      sql: `ALTER TABLE ledger_entries ADD COLUMN campaign text;
            ALTER TABLE house_rounds ADD COLUMN campaign text;
            CREATE INDEX campaign ON ledger_entries (at)`,
    };
    const log = createLogger({ level: "silent" });
    await migrate(site.database.url, { log, migrations: [...known, migration] });
    await sleep(1_000);
    await site.database.ask(
      `ALTER TABLE ledger_entries DROP COLUMN campaign; ALTER TABLE house_rounds DROP COLUMN campaign;
       DROP INDEX campaign; DELETE FROM schema_migrations WHERE number = ${number}`,
    );
  }),

  alone("readers are slow", async (site) => {
    const { url } = site.server(0);
    const slow = Array.from({ length: 50 }, (_, n) => {
      const headers = { "x-forwarded-for": `192.0.2.${n}` };
      const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
      socket.on("error", () => undefined);
      socket.on("open", () => {
        socket.send(JSON.stringify({ type: "hello", protocol: 1, token: null }));
        for (const channel of ["saranggola", "winners", "sports"]) {
          socket.send(JSON.stringify({ type: "subscribe", channel }));
        }
        socket.pause();
      });
      return socket;
    });
    await sleep(STALL_MS);
    for (const socket of slow) socket.terminate();
  }),

  {
    ...alone("ten thousand sockets come back at once", async (site) => {
      const crowd = fork(
        fileURLToPath(new URL("crowd.ts", import.meta.url)),
        [...[site.server(0).url, String(CROWD)]],
        { execArgv: ["--import", "tsx"] },
      );
      try {
        await heard(crowd, CROWD);
        await site.killServer(0);
        await heard(crowd, 0);
        await site.startServer(0);
        crowd.send(site.server(0).url);
        await heard(crowd, CROWD);
      } finally {
        const ended = once(crowd, "exit");
        crowd.kill("SIGKILL");
        await ended;
      }
    }),
    isLong: true,
  },

  ofTwo("one of two servers is killed", async (site, chance) => {
    const number = chance.below(2);
    await sleep(chance.below(1_000));
    await site.killServer(number);
    await sleep(2_000);
    await site.startServer(number);
  }),

  ofTwo("one of two servers stalls", async (site, chance) => {
    const server = site.server(chance.below(2));
    server.signal("SIGSTOP");
    await sleep(STALL_MS);
    server.signal("SIGCONT");
  }),

  ofTwo("two servers are renewed one after the other under load", async (site) => {
    for (const number of [0, 1]) {
      const server = site.server(number);
      site.servers[number] = null;
      server.signal("SIGTERM");
      const code = await server.ended;
      if (code !== 0) throw new Error(`it ended with ${code}`);
      await site.startServer(number);
    }
  }),

  ofTwo("one of two servers has a clock an hour ahead", async (site) => {
    await site.killServer(1);
    await site.startServer(1, HOUR_MS);
    await sleep(4_000);
    await site.killServer(1);
    await site.startServer(1);
  }),

  ofTwo("Redis is killed", async (site) => {
    await site.redis.kill();
    await sleep(3_000);
    await site.redis.restart();
  }),

  ofTwo("Redis stalls", async (site, chance) => {
    site.redis.hang();
    await playsOn(site, chance.pick(site.seats));
    await sleep(STALL_MS);
    site.redis.goOn();
  }),

  ofTwo("the database of two servers is killed", async (site, chance) => {
    await sleep(chance.below(1_000));
    await site.database.kill();
    await sleep(1_000);
    await site.database.restart();
  }),
];

function alone(name: string, run: Kind["run"]): Kind {
  return { name, size: 1, run };
}

function ofTwo(name: string, run: Kind["run"]): Kind {
  return { name, size: 2, run };
}

/** A round is played while something that it has no business with is away. */
async function playsOn(site: Site, seat: Seat): Promise<void> {
  const { status } = await post(site, seat, "/api/v1/rounds", {
    ...{ id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } },
  });
  if (status !== 200) throw new Error(`a round was answered ${status}`);
}

async function post(site: Site, seat: Seat, path: string, body: object) {
  const answer = await fetch(`${site.lines[0]?.url}${path}`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${seat.token}`, cookie: seat.cookie, connection: "close" },
      ...{ "x-forwarded-for": seat.address, "content-type": "application/json" },
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, ...(await answer.json()) };
}

/** Resolves when so many of a crowd hear. */
async function heard(crowd: ReturnType<typeof fork>, wanted: number): Promise<void> {
  const late = AbortSignal.timeout(CROWD_BACK_MS);
  let hearing = -1;
  while (hearing !== wanted) {
    try {
      [hearing] = await once(crowd, "message", { signal: late });
    } catch (cause) {
      throw new Error(`${hearing} of ${wanted} sockets hear`, { cause });
    }
  }
}
