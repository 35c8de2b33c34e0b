import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { transformSync } from "esbuild";
import type { Plugin } from "vite";

/** The most JavaScript of the first route, in bytes after brotli. */
const FIRST_ROUTE_MAX = 140_000;
/** The default language's catalogue: requested together with the entry, not after it has run. */
const FIRST_CATALOGUE = "virtual:catalogue/TY";
const GUARD = fileURLToPath(new URL("../src/app/start-guard.ts", import.meta.url));
const NOTE_TO_LINT = /<!-- biome-ignore .*? -->\n/;

/**
 * After the bundle is written: puts the first screen's CSS and the start guard into the page,
 * requests the default catalogue early, tells the service worker what to cache, and checks the size
 * of the first route.
 */
export function firstPaint(): Plugin {
  return {
    name: "first-paint",
    apply: "build",
    writeBundle(options, bundle) {
      const dist = options.dir ?? "dist";
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === "app");
      const catalogue = chunks.find((chunk) => chunk.facadeModuleId?.endsWith(FIRST_CATALOGUE));
      if (entry === undefined || catalogue === undefined) throw new Error("the app has no entry");

      const page = join(dist, "index.html");
      const preload = `<link rel="modulepreload" crossorigin href="/${catalogue.fileName}">`;
      const html = inlineStyles(readFileSync(page, "utf8"), dist)
        .replace(NOTE_TO_LINT, "")
        // Before any script, so that it hears of each failure.
        .replace('<script type="module"', () => `${guard()}\n    <script type="module"`)
        .replace("</head>", `  ${preload}\n  </head>`)
        // The page and its banner are seen before the scripts are needed, so scripts load with low
        // priority.
        .replace(/<(?:script type="module"|link rel="modulepreload")/g, '$& fetchpriority="low"');
      writeFileSync(page, html);

      const first = reachedBy(entry.fileName, chunks);
      first.add(catalogue.fileName);
      const fonts = Object.keys(bundle).filter((name) => name.endsWith(".woff2"));
      const kept = [...first, ...fonts].map((name) => `/${name}`);
      const worker = join(dist, "sw.js");
      const code = readFileSync(worker, "utf8");
      const marker = /["'`]__PRECACHE__["'`]/;
      if (!marker.test(code)) throw new Error("the service worker has no place for its list");
      writeFileSync(worker, code.replace(marker, JSON.stringify(JSON.stringify(kept))));

      weigh(
        dist,
        chunks.map((chunk) => chunk.fileName),
        first,
      );
    },
  };
}

/** The server allows the page's inline scripts by their hashes. */
function guard(): string {
  const { code } = transformSync(readFileSync(GUARD, "utf8"), { loader: "ts", minify: true });
  if (code.includes("</")) throw new Error("the guard would end its own element");
  return `<script>${code.trim()}</script>`;
}

function inlineStyles(html: string, dist: string): string {
  return html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/g, (_, file: string) => {
    const css = readFileSync(join(dist, file), "utf8");
    return `<style>${css.trim()}</style>`;
  });
}

/** The entry and all that it imports before it can run. */
function reachedBy(
  start: string,
  chunks: readonly { readonly fileName: string; readonly imports: readonly string[] }[],
): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(chunks.find((chunk) => chunk.fileName === name)?.imports ?? []));
  }
  return reached;
}

function weigh(dist: string, all: readonly string[], first: ReadonlySet<string>): void {
  let total = 0;
  const lines: string[] = [];
  for (const name of [...all].sort()) {
    const bytes = brotliCompressSync(readFileSync(join(dist, name))).length;
    if (first.has(name)) total += bytes;
    lines.push(`${first.has(name) ? "first" : "     "} ${String(bytes).padStart(8)}  ${name}`);
  }
  process.stdout.write(`${lines.join("\n")}\nfirst route: ${total} bytes of JavaScript (brotli)\n`);
  if (total > FIRST_ROUTE_MAX) {
    throw new Error(`the first route weighs ${total} bytes, more than ${FIRST_ROUTE_MAX}`);
  }
}
