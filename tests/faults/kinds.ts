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
import { settledOf } from "./audit.ts";
import type { Chance } from "./chance.ts";
import { PLAIN } from "./clerk.ts";
import { fliesAgain, leaveTimesOf, plansByTrueTime, tellsTimeOf, tellsTrueTime } from "./clocks.ts";
import {
  answers,
  bit,
  bitSoon,
  countFrom,
  faultOf,
  isServed,
  playsOn,
  post,
  redisAt,
  whileItLasts,
  writesOf,
} from "./proofs.ts";
import type { Site, Size } from "./site.ts";

/**
 * A fault that hits a site while everybody plays; at its end everything runs again. Each proves
 * that it had an effect, since anything survives a fault without one.
 */
export interface Kind {
  readonly name: string;
  /** How many servers it needs. */
  readonly size: Size;
  /** Needs a process that may mount disks. */
  readonly needsDisks?: boolean;
  /** Needs a database whose clock can be set. */
  readonly needsClock?: boolean;
  /** Takes minutes on a small machine: it runs seldom, and never in a short campaign. */
  readonly isLong?: boolean;
  /** No answer may be cut off. */
  readonly isOrderly?: boolean;
  /** Throws if the fault had no effect, or the product misbehaves. */
  run(site: Site, chance: Chance): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Twice the time-out of a statement in PostgreSQL with its retry. */
const VANISHED_MS = 45_000;
/** How long a stall lasts: longer than a player would call slow. */
const STALL_MS = 5_000;
/** How long a caller who is told to come again keeps trying. */
const PATIENT_MS = 20_000;
/** PostgreSQL's answer to a COMMIT. */
const COMMITTED = "COMMIT\0";
/** The connections of `max_connections` that the cluster's own processes cannot hold. */
const SLOTS = 55;
const DISK_FULL = "53100";
const READ_ONLY = "25006";
/** More files of 1 MB than the log's disk holds. */
const LOG_FILES_MAX = 500;
const CROWD = 10_000;
/** How long a crowd may take to reconnect, on two busy cores. */
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
    await whileItLasts(
      async () => {
        bit("no round is taken", !(await isServed(site, chance.pick(site.seats), 500)));
        await sleep(chance.below(1_500));
      },
      () => site.database.restart(),
    );
  }),

  alone("the database's connections are ended", async (site, chance) => {
    for (let times = 0; times < 4; times++) {
      // On a busy machine the server may have no connection yet, so soon after the last cut.
      await bitSoon("connections are ended", async () => {
        const { rows } = await site.database.ask(
          `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
           WHERE datname = 'perya' AND pid <> pg_backend_pid()`,
        );
        return rows.some(({ ended }) => ended);
      });
      await sleep(200 + chance.below(600));
    }
  }),

  alone("the database's connections are reset on their way", async (site, chance) => {
    for (let times = 0; times < 4; times++) {
      const counted = countFrom(site.databaseLine);
      await bitSoon("connections are reset", () => {
        site.databaseLine.cut();
        return counted("cut") > 0;
      });
      await sleep(200 + chance.below(600));
    }
  }),

  alone("the database stalls", async (site, chance) => {
    site.database.hang();
    await whileItLasts(
      async () =>
        bit("no round is taken", !(await isServed(site, chance.pick(site.seats), STALL_MS))),
      () => site.database.goOn(),
    );
  }),

  alone("the database has no slot left", async (site, chance) => {
    const held: pg.Client[] = [];
    // Open connections go, and do not come back before all slots are taken.
    site.databaseLine.silence("both");
    site.databaseLine.cut();
    for (const by = performance.now() + STALL_MS; performance.now() < by; ) {
      const client = new pg.Client({ connectionString: site.database.url });
      client.on("error", () => undefined);
      const isIn = await client.connect().then(
        () => true,
        () => false,
      );
      if (isIn) held.push(client);
      // A connection that was cut frees its slot when its process has ended.
      else if (held.length >= SLOTS) break;
      else await sleep(50);
    }
    site.databaseLine.mend();
    await whileItLasts(
      async () => {
        bit("no round is taken", !(await isServed(site, chance.pick(site.seats), 3_000)));
        // The server may refuse at once.
        await sleep(2_000);
      },
      () => Promise.all(held.map((client) => client.end())),
    );
  }),

  ...(["ledger_accounts", "withdrawals", "house_rounds"] as const).map((table) =>
    alone(`a lock is held on ${table}`, async (site) => {
      const client = new pg.Client({ connectionString: site.database.url });
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
      await whileItLasts(
        async () => {
          await bitSoon("a statement waits for the lock", async () => {
            const { rowCount } = await site.database.ask(waits);
            return rowCount !== 0;
          });
          await sleep(STALL_MS);
        },
        async () => {
          await client.query("COMMIT");
          await client.end();
        },
      );
    }),
  ),

  {
    ...alone("the disk of the data is full", async (site) => {
      const { free } = site.database.fill("data");
      await whileItLasts(
        async () => {
          const write = `CREATE TEMP TABLE ballast AS
            SELECT repeat('x', 2000) AS line FROM generate_series(1, 20000)`;
          bit("a write finds no room", (await faultOf(site, write)) === DISK_FULL);
          await sleep(4_000);
        },
        async () => {
          free();
          await site.database.ask("SELECT 1").catch(() => site.database.restart());
        },
      );
    }),
    needsDisks: true,
  },

  {
    ...alone("the disk of the log is full", async (site, chance) => {
      // A follower that has not read yet keeps all files of the log from being reused.
      await site.database.ask("SELECT pg_create_physical_replication_slot('campaign', true)");
      const { free } = site.database.fill("wal");
      await whileItLasts(
        async () => {
          // PostgreSQL first uses up the log files that it made before.
          let fault: string | null = null;
          for (let times = 0; times < LOG_FILES_MAX && fault === null; times++) {
            fault = await faultOf(site, "SELECT pg_switch_wal(), txid_current()");
          }
          bit("a write finds no room", fault !== null);
          bit("no round is taken", !(await isServed(site, chance.pick(site.seats), 3_000)));
        },
        async () => {
          free();
          await sleep(500);
          await site.database.ask("SELECT 1").catch(() => site.database.restart());
          await site.database.ask("SELECT pg_drop_replication_slot('campaign')");
        },
      );
    }),
    needsDisks: true,
  },

  alone("the database takes no writes", async (site, chance) => {
    await site.database.ask("ALTER SYSTEM SET default_transaction_read_only = on", "postgres");
    await site.database.ask("SELECT pg_reload_conf()", "postgres");
    await whileItLasts(
      async () => {
        await bitSoon("a write is refused", async () => {
          return (await faultOf(site, "CREATE TABLE campaign (id integer)")) === READ_ONLY;
        });
        bit("no round is taken", !(await isServed(site, chance.pick(site.seats), 4_000)));
        await sleep(3_000);
      },
      async () => {
        const client = new pg.Client({ connectionString: site.database.url });
        await client.connect();
        await client.query("SET default_transaction_read_only = off");
        await client.query("ALTER SYSTEM RESET default_transaction_read_only");
        await client.query("SELECT pg_reload_conf()");
        await client.query("DROP TABLE IF EXISTS campaign");
        await client.end();
      },
    );
  }),

  alone("the database fails over to its standby", async (site, chance) => {
    const led = await leaderOf(site);
    const standby = await site.database.followed();
    await sleep(500 + chance.below(1_000));
    await standby.takeOver();
    site.databaseLine.leadTo(site.database.url.replace("postgres", "http"));
    const leads = await leaderOf(site);
    bit("the standby leads", leads.leads && leads.timeline > led.timeline);
    bit("its place is another", leads.url !== led.url);
    await bitSoon("the history that goes on is noted", async () => {
      const { rows } = await site.database.ask("SELECT timeline::int FROM database_history");
      return rows[0]?.timeline === leads.timeline;
    });
  }),

  alone("the database is restored to a point in time", async (site, chance) => {
    const led = await leaderOf(site);
    const backup = await site.database.baseBackup();
    await sleep(1_000 + chance.below(1_000));
    // A restore takes the site down; answers from before must remain true.
    await site.rest();
    await site.killServer(0);
    const sum = "SELECT sum(amount_minor)::text AS sum FROM withdrawals";
    const { rows: before } = await site.database.ask(sum);
    const inUse = "SELECT id FROM fairness_seeds WHERE revealed_at IS NULL ORDER BY id";
    const { rows: pairs } = await site.database.ask(inUse);
    const { rows } = await site.database.ask("SELECT clock_timestamp()::text AS now");
    await sleep(50);
    const spoilt = await site.database.ask(
      "UPDATE withdrawals SET amount_minor = amount_minor + 1",
    );
    bit("something was spoilt", (spoilt.rowCount ?? 0) > 0);
    await site.database.archiveNow();
    await site.database.restore(backup, rows[0].now);
    site.databaseLine.leadTo(site.database.url.replace("postgres", "http"));
    const leads = await leaderOf(site);
    bit("what was restored leads", leads.leads && leads.timeline > led.timeline);
    const { rows: after } = await site.database.ask(sum);
    bit("what was spoilt is whole again", isDeepStrictEqual(after, before));
    await site.startServer(0);
    bit("players had pairs of seeds", pairs.length > 0);
    await bitSoon("no earlier pair deals on", async () => {
      const { rows: left } = await site.database.ask(inUse);
      return pairs.every(({ id }) => left.every((one) => one.id !== id));
    });
    site.goOn();
  }),

  ...([1, -1] as const).map((hours) =>
    alone(`the clock is an hour ${hours > 0 ? "ahead" : "behind"}`, async (site) => {
      await leaveTimesOf(site, hours);
      await site.killServer(0);
      await site.startServer(0, hours * HOUR_MS);
      await tellsTrueTime(site, 0, hours * HOUR_MS);
      await plansByTrueTime(site);
      await sleep(4_000);
      await leaveTimesOf(site, hours);
      await site.killServer(0);
      await site.startServer(0);
      await plansByTrueTime(site);
    }),
  ),

  ...([2_000, -2_000, HOUR_MS, -HOUR_MS] as const).map((offsetMs) => ({
    ...alone(`the database's clock is set by ${offsetMs / 1_000} s and set right`, async (site) => {
      for (const setTo of [offsetMs, 0]) {
        site.database.setClock(setTo);
        await whileItLasts(
          async () => {
            await tellsTimeOf(site, setTo);
            await fliesAgain(site);
          },
          () => site.database.setClock(0),
        );
      }
    }),
    needsClock: true,
    isLong: true,
  })),

  ...(["both", "from", "to"] as const).map((direction) =>
    alone(`the line to the database is half open: ${direction}`, async (site) => {
      const counted = countFrom(site.databaseLine);
      site.databaseLine.silence(direction);
      await sleep(STALL_MS);
      site.databaseLine.mend();
      bit("something was held up", counted("silenced") > 0);
    }),
  ),

  {
    ...alone("connections to the database vanish without a word", async (site, chance) => {
      const served = () => isServed(site, chance.pick(site.seats), 2_000);
      site.databaseLine.forget();
      bit("no round is taken", !(await served()));
      await bitSoon("rounds are taken over new ones", served, VANISHED_MS);
    }),
    isLong: true,
  },

  alone("the database is two seconds away", async (site, chance) => {
    const counted = countFrom(site.databaseLine);
    site.databaseLine.delay(1_000);
    await whileItLasts(
      async () => {
        bit("no round is prompt", !(await isServed(site, chance.pick(site.seats), 1_900)));
        await sleep(2 * STALL_MS);
      },
      () => site.databaseLine.mend(),
    );
    bit("something was late", counted("delayed") > 0);
  }),

  alone("replies of the database are lost, of a COMMIT too", async (site, chance) => {
    let commits = 0;
    const counted = countFrom(site.databaseLine);
    site.databaseLine.loseAnswers((piece) => {
      const isCommit = piece.includes(COMMITTED);
      const isLost = chance.percent(isCommit ? 10 : 2);
      if (isCommit && isLost) commits++;
      return isLost;
    });
    await sleep(STALL_MS);
    site.databaseLine.mend();
    bit("replies were lost", counted("lost") > 0);
    bit("a COMMIT's was", commits > 0);
  }),

  alone("players are two seconds away", async (site, chance) => {
    const counted = countFrom(...site.lines);
    for (const line of site.lines) line.delay(1_000);
    await whileItLasts(
      async () => {
        bit("no round is prompt", !(await isServed(site, chance.pick(site.seats), 1_900)));
        await sleep(2 * STALL_MS);
      },
      () => site.lines.map((line) => line.mend()),
    );
    bit("something was late", counted("delayed") > 0);
  }),

  alone("answers to players are lost", async (site, chance) => {
    const counted = countFrom(...site.lines);
    for (const line of site.lines) line.loseAnswers(() => chance.percent(30));
    await sleep(STALL_MS);
    for (const line of site.lines) line.mend();
    bit("answers were lost", counted("lost") > 0);
  }),

  alone("players' connections are half open", async (site) => {
    const counted = countFrom(...site.lines);
    for (const line of site.lines) line.silence("from");
    await sleep(STALL_MS);
    for (const line of site.lines) line.mend();
    bit("answers were held up", counted("silenced") > 0);
  }),

  alone("a command comes a hundred times at once", async (site, chance) => {
    const seat = chance.pick(site.seats);
    const body = {
      ...{ id: freshId("round"), gameId: "color-game" },
      choices: { bets: { red: "100" } },
    };
    const by = performance.now() + PATIENT_MS;
    const ask = async () => {
      for (;;) {
        const answer = await post(site, seat, "/api/v1/rounds", { body });
        // A caller who waited too long for a turn asks again, like a browser.
        if (answer.code !== "busy" || performance.now() > by) return answer;
        await sleep(300);
      }
    };
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    const rounds = answers.map(({ value }) => settledOf("round", value));
    const none = answers.find(({ value }) => value?.round === undefined);
    if (none !== undefined) throw new Error(`one of a hundred got ${JSON.stringify(none)}`);
    const other = rounds.find((round) => !isDeepStrictEqual(round, rounds[0]));
    if (other !== undefined) {
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
    const dead = writesOf(site);
    await sleep(500);
    bit("no vendor writes", !dead());
    await site.startVendor();
    await bitSoon("vendors play again", writesOf(site));
  }),

  alone("the vendor stalls", async (site) => {
    site.signalVendor("SIGSTOP");
    // A line that it was just writing may still appear.
    await sleep(100);
    const still = writesOf(site);
    await sleep(STALL_MS);
    const wrote = still();
    site.signalVendor("SIGCONT");
    bit("no vendor writes", !wrote);
    await bitSoon("vendors play again", writesOf(site));
  }),

  alone("the provider is killed", async (site, chance) => {
    await sleep(chance.below(1_000));
    await site.killGateway();
    const counted = countFrom(site.gatewayLine);
    await whileItLasts(
      async () => {
        await bitSoon("the provider is called", () => counted("refused") > 0);
        await sleep(1_000);
      },
      () => site.startGateway(),
    );
  }),

  alone("the provider stalls", async (site, chance) => {
    site.signalGateway("SIGSTOP");
    await whileItLasts(
      async () => {
        // An answer that it was just sending may be on its way.
        await sleep(100);
        const counted = countFrom(site.gatewayLine);
        // Only players who pay wait for it.
        await playsOn(site, chance.pick(site.seats));
        await sleep(STALL_MS);
        await bitSoon("the provider is called", () => counted("to") > 0);
        bit("it does not answer", counted("from") === 0);
        await playsOn(site, chance.pick(site.seats));
      },
      () => site.signalGateway("SIGCONT"),
    );
  }),

  ...(
    [
      ["late", { ...PLAIN, lateMs: 4_000 }],
      ["three times at once", { ...PLAIN, times: 3 }],
      ["and told the opposite after", { ...PLAIN, contradicts: true }],
    ] as const
  ).map(([how, manner]) =>
    alone(`payments are told ${how}`, async (site) => {
      const told = site.clerk.tell(manner);
      await whileItLasts(
        async () => {
          await sleep(STALL_MS);
          await bitSoon("a payment is told so", () => told() > 0);
        },
        () => site.clerk.tell(PLAIN),
      );
    }),
  ),

  {
    ...alone("the server is told to end under load", async (site, chance) => {
      await sleep(chance.below(1_000));
      await renew(site, 0);
    }),
    isOrderly: true,
  },

  alone("the database is migrated under load", async (site) => {
    // Only this run knows this migration: it adds a column to the busiest table, and removes it.
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
    bit("the column is there", (await faultOf(site, "SELECT campaign FROM house_rounds")) === null);
    await sleep(1_000);
    await site.database.ask(
      `ALTER TABLE ledger_entries DROP COLUMN campaign; ALTER TABLE house_rounds DROP COLUMN campaign;
       DROP INDEX campaign; DELETE FROM schema_migrations WHERE number = ${number}`,
    );
  }),

  alone("readers are slow", async (site) => {
    const { url } = site.server(0);
    const behind = new Set<WebSocket>();
    const slow = Array.from({ length: 50 }, (_, n) => {
      const headers = { "x-forwarded-for": `192.0.2.${n}` };
      const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
      socket.on("error", () => undefined);
      socket.on("message", () => behind.add(socket));
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
    const readers = behind.size;
    for (const socket of slow) socket.resume();
    await bitSoon("all have something to read by then", () => behind.size === slow.length);
    for (const socket of slow) socket.terminate();
    bit("none has read before", readers === 0);
  }),

  {
    ...alone("ten thousand sockets come back at once", async (site) => {
      const crowd = fork(
        fileURLToPath(new URL("crowd.ts", import.meta.url)),
        [site.server(0).url, String(CROWD)],
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
    await playsOn(site, chance.pick(site.seats), 1 - number);
    await sleep(2_000);
    await site.startServer(number);
  }),

  ofTwo("one of two servers stalls", async (site, chance) => {
    const number = chance.below(2);
    const server = site.server(number);
    server.signal("SIGSTOP");
    await whileItLasts(
      async () => {
        bit("it does not answer", !(await answers(server.url)));
        await sleep(STALL_MS);
      },
      () => server.signal("SIGCONT"),
    );
  }),

  {
    ...ofTwo("two servers are renewed one after the other under load", async (site) => {
      for (const number of [0, 1]) await renew(site, number);
    }),
    isOrderly: true,
  },

  ofTwo("one of two servers has a clock an hour ahead", async (site) => {
    await leaveTimesOf(site, 1);
    await site.killServer(1);
    await site.startServer(1, HOUR_MS);
    await tellsTrueTime(site, 1, HOUR_MS);
    await plansByTrueTime(site);
    await sleep(4_000);
    await site.killServer(1);
    await site.startServer(1);
  }),

  ofTwo("Redis is killed", async (site, chance) => {
    await site.redis.kill();
    await whileItLasts(
      async () => {
        await missRedis(site);
        await playsOn(site, chance.pick(site.seats));
        await sleep(3_000);
      },
      () => site.redis.restart(),
    );
    await findRedis(site);
  }),

  ofTwo("Redis stalls", async (site, chance) => {
    site.redis.hang();
    await whileItLasts(
      async () => {
        await playsOn(site, chance.pick(site.seats));
        await missRedis(site);
        await playsOn(site, chance.pick(site.seats));
        await sleep(STALL_MS);
      },
      () => site.redis.goOn(),
    );
    await findRedis(site);
  }),

  ofTwo("the database of two servers is killed", async (site, chance) => {
    await sleep(chance.below(1_000));
    await site.database.kill();
    await whileItLasts(
      async () => {
        for (const server of [0, 1]) {
          const seat = chance.pick(site.seats);
          bit("no round is taken", !(await isServed(site, seat, 500, server)));
        }
      },
      () => site.database.restart(),
    );
  }),
];

function alone(name: string, run: Kind["run"]): Kind {
  return { name, size: 1, run };
}

function ofTwo(name: string, run: Kind["run"]): Kind {
  return { name, size: 2, run };
}

/**
 * Replaces a server that is told to end, as behind a load balancer: a server that is not ready gets
 * no new callers, and no caller is left without an answer.
 */
async function renew(site: Site, number: number): Promise<void> {
  const server = site.server(number);
  const counted = countFrom(...site.lines);
  site.servers[number] = null;
  server.signal("SIGTERM");
  await bitSoon("it says that it is not ready", async () => {
    return (await fetch(`${server.url}/readyz`)).status === 503;
  });
  site.lines[number]?.turnAway();
  const code = await server.ended;
  // By then its last answers have been read.
  await sleep(200);
  const [called, unanswered] = [counted("to"), counted("unanswered")];
  await site.startServer(number);
  if (code !== 0) throw new Error(`it ended with ${code}`);
  bit("callers call meanwhile", called > 0);
  if (unanswered > 0) {
    const told = site.lines.flatMap((line) => line.unanswered.slice(-unanswered));
    throw new Error(`${unanswered} requests were left without an answer: ${told.join("; ")}`);
  }
}

async function missRedis(site: Site): Promise<void> {
  for (const number of site.servers.keys()) {
    await bitSoon("servers miss it", async () => {
      return (await redisAt(site.server(number).url)) === "down";
    });
  }
}

async function findRedis(site: Site): Promise<void> {
  for (const number of site.servers.keys()) {
    await bitSoon("servers find it again", async () => {
      return (await redisAt(site.server(number).url)) === "up";
    });
  }
}

/** Which cluster serves, and on which timeline; a promotion begins a new one. */
async function leaderOf({ database }: Site) {
  const { rows } = await database.ask(
    `SELECT NOT pg_is_in_recovery() AS leads, ('x' || left(pg_walfile_name(
       CASE WHEN pg_is_in_recovery() THEN '0/1' ELSE pg_current_wal_lsn() END), 8))::bit(32)::int
       AS timeline`,
  );
  const [{ leads, timeline }] = rows;
  return { url: database.url, leads, timeline };
}

/** Resolves when so many of a crowd are subscribed. */
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
