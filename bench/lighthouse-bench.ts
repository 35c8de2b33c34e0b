import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "./child.ts";
import { median, type Row, type Table } from "./measure.ts";

const LIGHTHOUSE = fileURLToPath(new URL("node_modules/lighthouse/cli/index.js", import.meta.url));
const REPORT_BYTES = 64 * 1024 * 1024;
const ROUNDS = 5;
/** The canonical address of home (/m/home names it as such), and of lists. */
const PATHS = ["/", "/m/slot-games", "/m/provider", "/m/hot-games", "/m/search"];
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SYSTEM = [
  "/usr/bin/chromium-headless-shell",
  ...["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
];

/** Lighthouse's mobile preset on home and lists, medians of five visits with a fresh profile. */
export async function benchLighthouse(databaseUrl: string): Promise<Table> {
  const chromePath = process.env.CHROMIUM_PATH ?? SYSTEM.find((file) => existsSync(file));
  if (chromePath === undefined) {
    return { title: "Lighthouse", rows: [], note: "No Chromium on this machine; skipped." };
  }
  const env = { DATABASE_URL: databaseUrl, PORT: "0", METRICS_PORT: "0" };
  const server = startChild("server-process.ts", env);
  try {
    const url = await server.line("listening");
    const rows: Row[] = [];
    for (const path of PATHS) {
      const visits: Record<string, number>[] = [];
      while (visits.length < ROUNDS) visits.push(await paintedVisit(url + path, chromePath));
      const figures = Object.fromEntries(
        Object.keys(visits[0] ?? {}).map((name) => {
          const value = median(visits.map((one) => one[name] ?? Number.NaN));
          return [name, Number.isInteger(value) ? `${value}` : value.toFixed(3)];
        }),
      );
      rows.push({ what: path, figures });
    }
    const note = `${basename(chromePath)}; load, server and browser share the cores.`;
    return { title: "Lighthouse mobile, median of 5 visits", rows, note };
  } finally {
    await server.stop();
  }
}

/** Chromium sometimes paints nothing; then Lighthouse has no figures, and the visit is repeated. */
async function paintedVisit(url: string, chromePath: string): Promise<Record<string, number>> {
  for (let tries = 1; ; tries++) {
    const figures = await visit(url, chromePath);
    if (!Object.values(figures).some(Number.isNaN)) return figures;
    if (tries === ROUNDS) throw new Error(`Lighthouse saw nothing painted of ${url}`);
  }
}

async function visit(url: string, chromePath: string): Promise<Record<string, number>> {
  const { categories, audits } = await reportOf(url, chromePath);
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN;
  return {
    performance: score("performance"),
    accessibility: score("accessibility"),
    "best practices": score("best-practices"),
    SEO: score("seo"),
    "LCP ms": Math.round(value("largest-contentful-paint")),
    "FCP ms": Math.round(value("first-contentful-paint")),
    "TBT ms": Math.round(value("total-blocking-time")),
    CLS: value("cumulative-layout-shift"),
    "script kB": Math.round(scriptBytes(audits) / 1_000),
  };
}

interface Report {
  readonly categories: Record<string, { readonly score: number | null }>;
  readonly audits: Record<string, { readonly numericValue?: number; readonly details?: unknown }>;
}

/** Lighthouse exits with 1 if nothing was painted, but still reports. */
function reportOf(url: string, chromePath: string): Promise<Report> {
  const flags = [`--chrome-flags=${FLAGS.join(" ")}`, "--output=json", "--quiet"];
  const options = { env: { ...process.env, CHROME_PATH: chromePath }, maxBuffer: REPORT_BYTES };
  return new Promise((done, fail) => {
    execFile(process.execPath, [LIGHTHOUSE, url, ...flags], options, (error, report) => {
      if (report === "") fail(error ?? new Error("Lighthouse gave no report"));
      else done(JSON.parse(report));
    });
  });
}

/** Bytes of script as they came over the wire. */
function scriptBytes(audits: Report["audits"]): number {
  const details = audits["network-requests"]?.details;
  if (typeof details !== "object" || details === null || !("items" in details)) return Number.NaN;
  const items = details.items as { resourceType?: string; transferSize?: number }[];
  return items
    .filter((item) => item.resourceType === "Script")
    .reduce((sum, item) => sum + (item.transferSize ?? 0), 0);
}
