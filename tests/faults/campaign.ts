import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Auditor, type Counts } from "./audit.ts";
import { seededChance } from "./chance.ts";
import { KINDS, type Kind } from "./kinds.ts";
import { Site, type Size } from "./site.ts";

/**
 * `npm run faults`: everybody plays while one fault after another, drawn from a seed, hits the
 * running site; after each, the auditor compares all answers with the books.
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    /** How often each kind runs; a kind that takes minutes runs a tenth as often. */
    rounds: { type: "string", default: "1" },
    /** Only kinds whose name contains one of these words, separated by commas. */
    only: { type: "string", default: "" },
    /** Ends after so many seconds, with the kinds that ran until then. */
    seconds: { type: "string", default: "0" },
    /** How many kinds of two servers and of one run at least, even beyond the time. */
    least: { type: "string", default: "1,1" },
    /** The file for a table of all faults and findings. */
    record: { type: "string" },
    /** The file for the numbers of kinds that passed and failed, and the findings. */
    counts: { type: "string" },
  },
});

interface Line {
  readonly kind: Kind;
  done: number;
  failed: number;
  readonly counts: Counts;
}

const NOBODY: Counts = { done: 0, refused: 0, rounds: 0, repeats: 0 };
const CALM_MS = 700;
/** A player who waits for an answer that was lost asks again after 15 s. */
const SERVED_MS = 20_000;
/** A kind that takes minutes runs in one round of so many. */
const LONG_EVERY = 10;

const startedAt = performance.now();
const isShort = Number(options.seconds) > 0;
const lines = KINDS.filter(
  ({ name, isLong }) =>
    options.only.split(",").some((words) => name.includes(words)) && !(isShort && isLong === true),
).map((kind): Line => ({ kind, done: 0, failed: 0, counts: { ...NOBODY } }));
if (lines.length === 0) throw new Error(`no kind's name has ${options.only}`);
const failures: string[] = [];
process.stdout.write(`faults: seed ${options.seed}\n`);
// Work that must be done within a minute is awaited while the next size runs.
const endings: Promise<void>[] = [];
for (const size of [2, 1] as const) {
  const site = await besiege(size);
  if (site !== null) endings.push(settle(site));
}
// The parent may give the machine other work from now on.
process.send?.("no fault comes any more");
await Promise.all(endings);
report();
process.exitCode = failures.length === 0 ? 0 : 1;

interface Besieged {
  readonly site: Site;
  readonly auditor: Auditor;
  readonly first: Line | undefined;
}

/** Runs all kinds of one size in random order, so that each meets the traces of others. */
async function besiege(size: Size): Promise<Besieged | null> {
  const mine = lines.filter(({ kind }) => kind.size === size);
  if (mine.length === 0 || timeIsUp(size)) return null;
  const site = await Site.open(
    size,
    `${options.seed} ${size}`,
    mine.some(({ kind }) => kind.needsClock),
  );
  const auditor = new Auditor(site, seededChance(`${options.seed} ${size} auditor`));
  try {
    await sleep(CALM_MS);
    for (let round = 1; round <= Number(options.rounds); round++) {
      const order = seededChance(`${options.seed} ${size} ${round}`);
      const left = mine.filter(
        ({ kind }) =>
          (kind.needsDisks !== true || site.database.hasDisks) &&
          (kind.needsClock !== true || site.database.hasOwnClock) &&
          (kind.isLong !== true || round % LONG_EVERY === 1),
      );
      while (left.length > 0 && !timeIsUp(size)) {
        const [line] = left.splice(order.below(left.length), 1);
        if (line !== undefined) await suffer(site, auditor, line, round);
      }
      record();
    }
    return { site, auditor, first: mine[0] };
  } catch (error) {
    site.keepLog();
    await site.close();
    throw error;
  }
}

/** Nobody plays any more; all waiting work must be done in time. */
async function settle({ site, auditor, first }: Besieged): Promise<void> {
  try {
    const before = { ...auditor.counts };
    const what = `after all of them, ${site.size === 1 ? "one server" : "two servers"}`;
    await note(first, what, () => auditor.finish(), { site, auditor, before });
    process.stdout.write(`  ${site.orphans.told}\n  ${auditor.told}\n`);
  } finally {
    await site.close();
  }
}

async function suffer(site: Site, auditor: Auditor, line: Line, round: number): Promise<void> {
  const { name } = line.kind;
  const before = { ...auditor.counts };
  line.done += 1;
  await note(
    line,
    `${name} (round ${round})`,
    async () => {
      let ended: number[] = [];
      try {
        await line.kind.run(site, seededChance(`${options.seed} ${name} ${round}`));
      } finally {
        ended = await site.restore();
      }
      await site.ready().catch(async (error) => {
        // A server that is not ready may have ended; the next fault must meet a whole site.
        for (const number of await site.restore()) throw new Error(byItself(number));
        throw error;
      });
      const deaf = await auditor.hearYes(SERVED_MS);
      await sleep(CALM_MS);
      const found = await auditor.look(line.kind.isOrderly);
      return [...deaf, ...ended.map(byItself), ...found];
    },
    { site, auditor, before },
  );
}

function byItself(number: number): string {
  return `server ${number} ended by itself`;
}

async function note(
  line: Line | undefined,
  what: string,
  work: () => Promise<string[]>,
  { site, auditor, before }: { site: Site; auditor: Auditor; before: Counts },
): Promise<void> {
  const since = performance.now();
  let found: string[];
  try {
    found = await work();
  } catch (error) {
    found = [error instanceof Error ? `${error.message} ${error.cause ?? ""}` : String(error)];
  }
  const { done, refused, rounds, repeats } = auditor.counts;
  const added = done - before.done;
  if (line !== undefined) {
    line.failed += found.length > 0 ? 1 : 0;
    line.counts.done += added;
    line.counts.refused += refused - before.refused;
    line.counts.rounds += rounds - before.rounds;
    line.counts.repeats += repeats - before.repeats;
  }
  const seconds = ((performance.now() - since) / 1_000).toFixed(1);
  const mark = found.length === 0 ? "✓" : "✗";
  process.stdout.write(`${mark} ${what}: ${added} done, ${seconds} s\n`);
  for (const one of found.slice(0, 5)) process.stdout.write(`    ${one.slice(0, 600)}\n`);
  if (found.length > 0) site.keepLog();
  failures.push(...found.map((one) => `${what}: ${one}`));
}

/**
 * Two servers come first, and get a third of the time. The limit counts only for kinds beyond the
 * least number: those run on a busy machine too.
 */
function timeIsUp(size: Size): boolean {
  if (!isShort || doneOf(size) < leastOf(size)) return false;
  const limit = Number(options.seconds) * (size === 2 ? 1 / 3 : 1);
  return performance.now() - startedAt > limit * 1_000;
}

function doneOf(size: Size): number {
  return lines.filter(({ kind, done }) => kind.size === size && done > 0).length;
}

function leastOf(size: Size): number {
  const [two = 0, one = 0] = options.least.split(",").map(Number);
  const mine = lines.filter(({ kind }) => kind.size === size);
  return Math.min(size === 2 ? two : one, mine.length);
}

function report(): void {
  const failed = lines.filter((line) => line.failed > 0).length;
  const done = lines.filter((line) => line.done > 0).length;
  record();
  const counts = {
    passed: done - failed,
    failed: Math.max(failed, Math.sign(failures.length)),
    failures: failures.map((one) => one.slice(0, 600)),
  };
  if (options.counts !== undefined) writeFileSync(options.counts, JSON.stringify(counts));
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
}

/** Called after each round, so that a long run that is stopped leaves its findings. */
function record(): void {
  if (options.record !== undefined) writeFileSync(options.record, table());
}

function table(): string {
  const total = lines.reduce(
    (sum, { done, counts }) => ({ done: sum.done + done, told: sum.told + counts.done }),
    { done: 0, told: 0 },
  );
  return [
    "# Faults",
    "",
    `Seed ${options.seed}: ${lines.filter(({ done }) => done > 0).length} kinds, ${total.done} faults, ` +
      `${total.told} commands answered by yes, ${failures.length} findings.`,
    "",
    "| Fault | Times | With findings | Commands answered by yes | by no | Vendors' rounds | Repeats |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...lines.map(
      ({ kind, done, failed, counts }) =>
        `| ${kind.name} | ${done} | ${failed} | ${counts.done} | ${counts.refused} | ` +
        `${counts.rounds} | ${counts.repeats} |`,
    ),
    "",
    ...failures.map((one) => `- ${one}`),
  ].join("\n");
}
