import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLogger } from "../apps/server/src/platform/log.ts";
import { startEmbedded } from "../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../apps/server/src/platform/postgres/migrate.ts";
import { benchCatalogue } from "./catalogue-bench.ts";
import { benchHttp } from "./http-bench.ts";
import { benchLedger } from "./ledger-bench.ts";
import { benchLighthouse } from "./lighthouse-bench.ts";
import { besideEarlier, readTables, renderTable, type Table } from "./measure.ts";
import { preparePgbench } from "./pgbench.ts";
import { benchScreens } from "./screens-bench.ts";
import { benchSockets } from "./sockets-bench.ts";

/**
 * `npm run bench [-- ledger http sockets lighthouse screens catalogue]`: prints tables with ratios,
 * with the last run's in brackets, and stores them under bench/results/. Everything runs on this
 * machine and ends by itself.
 */
const asked = process.argv.slice(2);
const wants = (name: string) => asked.length === 0 || asked.includes(name);
const log = createLogger({ level: "error" });
const folder = mkdtempSync(join(tmpdir(), "perya-bench-"));
const database = await startEmbedded({ dataDir: folder, log });
const RESULTS = fileURLToPath(new URL("results/", import.meta.url));
const earlier = lastRuns();
const tables: Table[] = [];
try {
  await migrate(database.url, { log });
  const pgbench = wants("ledger") || wants("http") ? await preparePgbench(database.url) : null;
  if (wants("ledger")) await show([await benchLedger(database.url, pgbench)]);
  if (wants("http")) await show(await benchHttp(database.url, pgbench));
  if (wants("sockets")) await show([await benchSockets()]);
  if (wants("lighthouse")) await show([await benchLighthouse(database.url)]);
  if (wants("screens")) await show([await benchScreens(database.url)]);
  if (wants("catalogue")) await show([await benchCatalogue(database.url)]);
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
store();

async function show(more: readonly Table[]): Promise<void> {
  tables.push(...more);
  for (const table of more) {
    process.stdout.write(`\n${renderTable(besideEarlier(table, earlier))}`);
  }
}

/** The tables of every stored run, newest first. */
function lastRuns(): Table[] {
  mkdirSync(RESULTS, { recursive: true });
  const files = readdirSync(RESULTS).sort().reverse();
  return files.flatMap((file) => readTables(readFileSync(join(RESULTS, file), "utf8")));
}

function store(): void {
  const day = new Date().toISOString().slice(0, 16).replace(":", "");
  const [cpu] = cpus();
  const machine =
    `${cpus().length} × ${cpu?.model ?? "unknown"}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`;
  const text = [`# Benchmark ${day}`, machine, ...tables.map(renderTable)].join("\n\n");
  const name = asked.length === 0 ? day : `${day}-${asked.join("-")}`;
  writeFileSync(join(RESULTS, `${name}.md`), `${text}\n`);
}
