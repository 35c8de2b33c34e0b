import { BOOKS } from "./books.ts";
import { command } from "./command.ts";
import { Ledger } from "./modules/ledger/ledger.ts";

/**
 * `npm run ledger:verify`: recomputes every balance from its entries, compares the books of rounds,
 * bets and payments with them, and prints what is off. Beside a running Perya it reads that one's
 * database; else it opens the embedded one itself. Exit code 0: sound; 1: something is off, or the
 * ledger could not be read.
 */
process.exitCode = await command(async ({ databaseUrl, pool, log }) => {
  const ledger = new Ledger({
    databaseUrl,
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
  return discrepancies.length === 0 ? 0 : 1;
}, "The ledger could not be read");
