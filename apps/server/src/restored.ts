import { command, say } from "./command.ts";
import { refuseOthers } from "./installation.ts";
import { trustNothing } from "./modules/identity/identity.ts";
import { migrate } from "./platform/postgres/migrate.ts";
import { renewSeenChance } from "./seen-chance.ts";

/**
 * `npm run restored`: runs after a database was restored to an earlier moment, and before Perya
 * starts on it. Events after that moment may not have happened: seeds and chains whose results
 * players have seen are taken out of use, the cockfight that takes bets is cancelled, every log-in
 * ends, and every account counts as changed, since what its owner has ended or changed since is as
 * it was. It migrates first, as a start does, since the moment may be before a deploy. Exit code 1:
 * not all of it was done.
 */
process.exitCode = await command(async ({ config, databaseUrl, pool, log }) => {
  const isProduction = config.environment === "production";
  await migrate(databaseUrl, { log, admit: (client) => refuseOthers(client, isProduction) });
  await renewSeenChance(pool);
  const ended = await trustNothing(pool);
  return say(
    `Seeds and chains are out of use, and ${ended} log-ins ended.\n` +
      "The cockfight that took bets is cancelled; its stakes go back when Perya starts.\n" +
      "Withdrawals that were asked for before wait for an operator.\n" +
      "Now revoke operators who left since, and compare pay-outs and deposits, from the moment of\n" +
      "the restore on, with the providers' lists and the statements of the house's own accounts:\n" +
      'docs/payments.md, "After a restore". Deposits at a provider that were opened since are known\n' +
      "to it alone, and two operators write them in again. Ask vendors to send the wins that came\n" +
      "since once more, and to void the rounds whose bets did. Tell players to claim a transfer by hand\n" +
      "that they claimed since once more, and that a password or a way in that they changed since is\n" +
      "the earlier one.\n",
    0,
  );
}, "Not all of it was done");
