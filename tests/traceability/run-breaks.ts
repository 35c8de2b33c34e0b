import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildStale } from "../../scripts/build.mjs";
import { runJourneys } from "../../scripts/journeys.mjs";
import { OUTSIDE, runVitest } from "../../scripts/vitest.mjs";
import { type Break, broken, readBreaks, writeBreaks } from "./breaks.ts";

/**
 * `npm run breaks -- [clause …] [--unseen]`: breaks the code as docs/breaks.tsv says, one line at
 * a time, and runs the tests that name the clause. Each must fail. It records the day of the
 * failure, reports a break that no test noticed as an error, and restores the code at once.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { unseen: { type: "boolean", default: false } },
});
const breaks = readBreaks();
const lived: string[] = [];
for (const [i, one] of breaks.entries()) {
  if (positionals.length > 0 && !positionals.includes(one.clause)) continue;
  if (values.unseen && one.seen !== "") continue;
  if (await isNoticed(one)) {
    breaks[i] = { ...one, seen: new Date().toISOString().slice(0, 10) };
    writeBreaks(breaks);
  } else lived.push(`${one.clause}: ${one.test} does not notice ${one.from} → ${one.to}`);
}
await buildStale();
for (const line of lived) process.stdout.write(`✗ ${line}\n`);
process.exitCode = lived.length === 0 ? 0 : 1;

/** Ends like an interrupted program, but runs the exit handlers. */
function interrupted(): never {
  process.exit(130);
}

async function isNoticed(one: Break): Promise<boolean> {
  const change = broken(one);
  if (change === null) return false;
  const restore = () => writeFileSync(change.path, change.whole);
  process.once("exit", restore);
  process.once("SIGINT", interrupted);
  writeFileSync(change.path, change.bad);
  try {
    const { failures } = await run(one);
    // A test file that does not even start proves nothing about the clause.
    const failed = failures.filter((told) => !told.endsWith(OUTSIDE));
    process.stdout.write(`${one.clause} ${one.test}: ${failed.length} failed\n`);
    return failed.length > 0;
  } finally {
    restore();
    process.off("exit", restore);
    process.off("SIGINT", interrupted);
  }
}

/** The tests of its file whose titles name the clause. */
async function run({ clause, test }: Break) {
  const title = `\\[[^\\]]*${clause}\\b`;
  const isJourney = test.endsWith(".journey.ts");
  // Tests start built servers.
  if (isJourney || /^tests\/(api|server)\//.test(test)) await buildStale();
  return isJourney
    ? runJourneys([test, "--grep", title, "--pass-with-no-tests"])
    : runVitest([test, "-t", title]);
}
