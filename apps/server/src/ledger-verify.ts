import { BOOKS } from "./books.ts";
import { Ledger } from "./modules/ledger/ledger.ts";
import { loadConfig } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";
import { openDatabase } from "./platform/postgres/embedded.ts";
import { createPool } from "./platform/postgres/pool.ts";

/**
 * `npm run ledger:verify`: recomputes every balance from its entries, compares the books of rounds,
 * bets and payments with them, and prints what is off. Beside a running Perya it reads that one's
 * database; else it opens the embedded one itself. Exit code 0: sound; 1: something is off, or the
 * ledger could not be read.
 */
const config = loadConfig(process.env);
if (!config.ok) {
  process.stderr.write(`${config.error.join("\n")}\n`);
  process.exit(1);
}
const log = createLogger({ level: "warn" });
const database = await openDatabase(config.value, log);
const pool = createPool(database.url, { max: 1, log });
try {
  const ledger = new Ledger({
    databaseUrl: database.url,
    pool,
    writers: 0,
    books: BOOKS,
    onTrouble: (error, what) => log.error({ err: error }, what),
  });
  const discrepancies = await ledger.verify();
  for (const { check, subject, found } of discrepancies) {
    process.stdout.write(`✗ ${check}: ${subject} (${found})\n`);
  }
  process.stdout.write(
    discrepancies.length === 0
      ? "The ledger is sound.\n"
      : `${discrepancies.length} discrepancies; do not pay out before they are understood.\n`,
  );
  process.exitCode = discrepancies.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`The ledger could not be read: ${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await pool.end();
  await database.stop();
}
