import { endAllSessions } from "./modules/identity/identity.ts";
import { renewChance } from "./modules/rounds/rounds.ts";
import { systemClock } from "./platform/clock.ts";
import { loadConfig } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";
import { openDatabase } from "./platform/postgres/embedded.ts";
import { createPool } from "./platform/postgres/pool.ts";

/**
 * `npm run restored`: after a database was restored to an earlier moment, and before Perya starts
 * on it. Whatever was told after that moment may not have happened: seeds and chains that players
 * have seen the end of are taken out of use, and every log-in ends, since one that was ended or
 * whose password was changed since would be good again. Exit code 1: not all of it was done.
 */
const config = loadConfig(process.env);
if (!config.ok) {
  process.stderr.write(`${config.error.join("\n")}\n`);
  process.exit(1);
}
const log = createLogger({ level: "warn" });
const database = await openDatabase(config.value, log);
const pool = createPool(database.url, { max: 2, log });
try {
  await renewChance(pool);
  const ended = await endAllSessions(pool, systemClock.now());
  process.stdout.write(
    `Seeds and chains are out of use, and ${ended} log-ins ended.\n` +
      "Now revoke operators who left since, and compare pay-outs with what the providers paid.\n",
  );
} catch (error) {
  process.stderr.write(`Not all of it was done: ${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await pool.end();
  await database.stop();
}
