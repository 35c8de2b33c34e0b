import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { heightInIdentity, IDENTITY, IDENTITY_ROOMS } from "./identity-rooms.ts";

/**
 * Rules about the whole repository (ARCHITECTURE.md): which room may import which, how a server
 * module is entered, where code may read time and chance, and how files are named.
 */
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The rooms that a room may import, besides itself. */
const ROOMS: Record<string, readonly string[]> = {
  kernel: [],
  games: ["kernel"],
  contract: ["kernel", "games"],
  client: ["contract", "kernel"],
  ui: ["kernel"],
  art: ["kernel"],
  server: ["kernel", "games", "contract", "art"],
  play: ["ui", "art", "client", "contract", "kernel", "games"],
};

/** The contract's files that the client runs: neither has a schema. */
const WITHOUT_SCHEMAS = ["@perya/contract/call", "@perya/contract/refusal"];

/** The games' files that the contract imports: their ids, and the form of a player's seed. */
const WITHOUT_RULES = ["@perya/games/house-games", "@perya/games/client-seed"];

/** The npm packages of the lean rooms; other rooms use those that they declare. */
const LEAN_ROOMS: Record<string, readonly string[]> = {
  kernel: [],
  games: ["@noble/hashes"],
  contract: ["zod", "re2js"],
  art: [],
  client: ["react", "@tanstack/react-query", "zustand", "@lingui/core", "jose"],
};

/**
 * The server modules that a module may import, each through its face `<name>/<name>.ts`: the table of
 * ARCHITECTURE.md. In-house games move money only through the wallet calls that an outside supplier
 * uses.
 */
const MODULES: Readonly<Record<string, readonly string[]>> = readModules();

/** `file -> imported file`, each a known break of a rule. This list may only shrink. */
const EXCEPTIONS = new Set<string>([]);
const MOST_EXCEPTIONS = 0;

const NODE_ROOMS = new Set(["server"]);
const NO_CLOCK = /^(packages\/[^/]+|apps\/server)\/src\//;
const CLOCK_OR_CHANCE = new RegExp(
  [
    String.raw`\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b`,
    String.raw`\bMath\.random\b|\b(?:pseudoR|r)andom(?:Bytes|Fill|FillSync|Int|UUID)\b`,
    String.raw`\bgetRandomValues\b|\bgenerate(?:Key|KeyPair|Secret|Prime)(?:Sync)?\b`,
    String.raw`\bgen_random_uuid\b`,
  ].join("|"),
);
/** The files that read a clock or make chance, and why. */
const CLOCKS_AND_CHANCE: Record<string, string> = {
  "apps/server/src/platform/clock.ts": "the clock that is passed in",
  "apps/server/src/platform/entropy.ts": "the chance that is passed in",
  "apps/server/src/modules/identity/defence/payload-keys.ts": "the library makes the pair of keys",
  "apps/server/src/modules/brand/contacts.ts": "the library makes the key",
  "packages/client/src/api.ts": "the browser's own clock, and a nonce that it seals",
  "packages/client/src/ids.ts": "a command's id is the browser's",
  "packages/client/src/live.ts": "the browser's own clock, and a reconnect that is spread",
  "packages/client/src/use-intention.ts": "the browser's own clock",
};
/** A value kept for a time, by a clock that may be set back: see `stillStands`. */
const KEPT_BY_HAND =
  /(?:\buntil|\.endsAt)\s*(?:>|<=)\s*(?:this\.#)?(?:clock\.)?now\b|\bnow(?:\(\))?\s*(?:<|>=)\s*[\w.#]*(?:\buntil|\.endsAt)\b/;
/** The files that compare an end with the clock by hand, and why. */
const ENDS_OF_THEIR_OWN: Record<string, string> = {
  "apps/server/src/modules/identity/defence/payload-keys.ts":
    "the end of a key, as it was written down",
  "apps/server/src/modules/vendors/vendor-signature.ts":
    "the end of a replaced secret, as it was written down",
  "apps/server/src/platform/http/human-check.ts": "the end of a challenge, as it was signed",
};
/** Code that counts money; kernel/money is the only file that may multiply and divide it. */
const MONEY_ROOMS = /^(packages\/[^/]+|apps\/server)\/src\//;
const MONEY_HOME = "packages/kernel/src/money.ts";
const AMOUNT = String.raw`[\w$]*(?:minor|stake|payout|amount|balance)[\w$]*`;
/** A bare `*` or `/` with an amount on either side, also within brackets or calls. */
const BARE_ARITHMETIC = new RegExp(
  [
    String.raw`\b${AMOUNT}(?:\[[^\]]*\]|[\])])*\s*(?:\*|\/(?!>))`,
    String.raw`(?:\*|(?<!<)\/)=?\s*(?:[\w$.]*\()*(?:[\w$]+\??\.)*${AMOUNT}\b`,
  ].join("|"),
  "i",
);
const EMPTY_NAMES = new Set(["utils", "util", "helpers", "helper", "misc", "common", "types"]);
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

interface Source {
  /** Relative to the repository's top folder, with slashes. */
  readonly path: string;
  readonly code: string;
  readonly imports: readonly Import[];
}

const sources = ["packages", "apps", "tests", "bench"].flatMap((folder) => readFolder(folder));
const shipped = sources.filter(({ path }) => roomOf(path) !== null && !isTest(path));

describe("the boundaries of the repository", () => {
  it("read every kind of import", () => {
    const code =
      'import type { A } from "./a.ts";\nimport b, {\n  c,\n} from "../b.ts";\nimport "./d.css";\n' +
      'export { e } from "e";\nconst f = await import("./f.ts"); // import "./not.ts"\n' +
      'import { type G } from "g";';
    expect(importsOf(code)).toEqual([
      { target: "./a.ts", typeOnly: true },
      { target: "../b.ts", typeOnly: false },
      { target: "./d.css", typeOnly: false },
      { target: "e", typeOnly: false },
      { target: "g", typeOnly: false },
      { target: "./f.ts", typeOnly: false },
    ]);
    expect(shipped.length).toBeGreaterThan(10);
  });

  it("let a room import only the rooms below it", () => {
    expect(breaks(roomBreak)).toEqual([]);
  });

  it("let a script load before anything is installed", () => {
    const scripts = join(ROOT, "scripts");
    const early = readdirSync(scripts).flatMap((name) =>
      [...readFileSync(join(scripts, name), "utf8").matchAll(/^import .*"([^"]+)";$/gm)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^(?:node:|\.)/.test(target))
        .map((target) => `${name} -> ${target}`),
    );
    expect(early).toEqual([]);
  });

  it("keep the rules of the games out of the contract", () => {
    expect(breaks(rulesBreak)).toEqual([]);
  });

  it("keep the contract's schemas out of the client", () => {
    expect(breaks(schemaBreak)).toEqual([]);
  });

  it("let a room use only packages that it declares", () => {
    expect(breaks(packageBreak)).toEqual([]);
  });

  it("let a server module import another only through its face, along the graph", () => {
    expect(breaks(moduleBreak)).toEqual([]);
  });

  it("name every server module once in the table of ARCHITECTURE.md", () => {
    const there = readdirSync(join(ROOT, "apps/server/src/modules"));
    expect(Object.keys(MODULES).sort()).toEqual(there.sort());
    const allowed = new Set(Object.values(MODULES).flat());
    expect([...allowed].filter((name) => !there.includes(name))).toEqual([]);
  });

  it("allow no circle in the graph of server modules", () => {
    expect(Object.keys(MODULES).filter((name) => reaches(name, name))).toEqual([]);
  });

  it("find circles of files", () => {
    const graph = { a: ["b", "d"], b: ["c"], c: ["a", "d"], d: ["e"], e: ["d"], f: ["a", "f"] };
    expect(circlesIn(new Map(Object.entries(graph)))).toEqual([["a", "b", "c"], ["d", "e"], ["f"]]);
  });

  it("let no file reach itself by its imports, not even by imports of types", () => {
    const all = new Map(
      shipped.map((source) => [
        source.path,
        source.imports.map((imported) => fileOf(resolved(source, imported))),
      ]),
    );
    expect(circlesIn(all)).toEqual([]);
  });

  it("keep one screen family from importing another", () => {
    expect(breaks(featureBreak)).toEqual([]);
  });

  it("find code that reads a clock or makes chance", () => {
    const code = [
      ...["Date.now()", "new Date()", "performance.now()", "process.hrtime.bigint()"],
      ...["Math.random()", "randomBytes(24)", "randomFillSync(pool)", "crypto.randomUUID()"],
      ...["randomInt(6)", "webcrypto.getRandomValues(bytes)", "generateKeyPair(ALGORITHM)"],
      ...["generateKeySync(kind)", "sql`SELECT gen_random_uuid()`"],
    ];
    expect(code.filter((one) => !CLOCK_OR_CHANCE.test(withoutTexts(one)))).toEqual([]);
    const other = ["new Date(at)", "// Date.now()", '"randomBytes"', "generateLines(random)"];
    expect(other.filter((one) => CLOCK_OR_CHANCE.test(withoutTexts(one)))).toEqual([]);
  });

  it("allow time and chance only in the listed files", () => {
    const readers = shipped
      .filter(({ path, code }) => NO_CLOCK.test(path) && CLOCK_OR_CHANCE.test(withoutTexts(code)))
      .map(({ path }) => path);
    expect(readers.sort()).toEqual(Object.keys(CLOCKS_AND_CHANCE).sort());
  });

  it("let nothing outlive its time where the clock is set back", () => {
    const byHand = ["cached.until > clock.now()", "window.endsAt <= now", "now < known.until"];
    expect(byHand.filter((code) => !KEPT_BY_HAND.test(code))).toEqual([]);
    const keepers = shipped
      .filter(({ path, code }) => path.startsWith("apps/server/src/") && KEPT_BY_HAND.test(code))
      .map(({ path }) => path);
    expect(keepers.sort()).toEqual(Object.keys(ENDS_OF_THEIR_OWN).sort());
  });

  it("find a bare multiplication or division of money", () => {
    const bare = [
      "stakeMinor * 2n",
      "2n * bet.stake_minor",
      "total *= payoutMinor",
      "BigInt(stakeMinor) / 2n",
      "odds * BigInt(given.stakeMinor)",
      "rows[amounts[i]] / n",
      `say("x", \`\${balance / 2n} left\`)`,
    ];
    expect(bare.filter((code) => !multipliesMoney(code))).toEqual([]);
    const other = [
      "timesMinor(stakeMinor, 2n)",
      "stakeMinor % stepMinor",
      "stakeMinor + 2n * count",
      "/* stake * 2 */ 'amount / 2' // balance / 2",
      "sql`SELECT 5 * stake_minor`",
      "<Amount value={stake} /></Amount>",
    ];
    expect(other.filter(multipliesMoney)).toEqual([]);
  });

  it("allow multiplication and division of money only in kernel/money, where every rounding has a name", () => {
    const elsewhere = shipped
      .filter(({ path }) => MONEY_ROOMS.test(path) && path !== MONEY_HOME)
      .filter(({ path, code }) => !path.endsWith(".css") && multipliesMoney(code))
      .map(({ path }) => path);
    expect(elsewhere).toEqual([]);
  });

  it("require file names in kebab-case that name a thing, and allow no barrel", () => {
    const misnamed = sources
      .map(({ path }) => path)
      .filter((path) => {
        const name = basename(path).replace(/\.(ts|tsx|css)$/, "");
        const [stem = ""] = name.split(".");
        return !FILE_NAME.test(name) || EMPTY_NAMES.has(stem) || stem === "index";
      });
    expect(misnamed).toEqual([]);
  });

  it("let the list of exceptions only shrink, without mended ones", () => {
    expect(EXCEPTIONS.size).toBeLessThanOrEqual(MOST_EXCEPTIONS);
    const edges = new Set(sources.flatMap((source) => source.imports.map((i) => edge(source, i))));
    expect([...EXCEPTIONS].filter((exception) => !edges.has(exception))).toEqual([]);
  });
});

/**
 * The web app's layers, the highest first. A file imports its own layer and lower ones. Two layers
 * at the same height do not import each other.
 */
const PLAY_LAYERS = [["app"], ["features", "games"], ["parts"], ["shell"], ["locales"]];
/** The service worker is a separate program. */
const PLAY_ALONE = ["sw"];

describe("the layers of the web app", () => {
  const files = sources.filter(({ path }) => roomOf(path) === "play" && !path.endsWith(".css"));

  it("hold every file of the web app", () => {
    const known = [...PLAY_LAYERS.flat(), ...PLAY_ALONE];
    const elsewhere = files.filter(({ path }) => {
      const layer = playLayerOf(path);
      return layer !== null && !known.includes(layer);
    });
    expect(elsewhere.map(({ path }) => path)).toEqual([]);
  });

  it("let a file import only its own layer and lower ones", () => {
    const upward = files.flatMap((source) =>
      loadedBy(source)
        .filter((target) => !isDownward(source.path, target))
        .map((target) => `${source.path} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it("are in ARCHITECTURE.md in their order", () => {
    const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const table = page.split("| Layer of `play` | What it holds |\n")[1]?.split("\n\n")[0] ?? "";
    const told = [...table.matchAll(/^\| ((?:`[a-z]+\/`(?:, )?)+) \|/gm)].map(([, names = ""]) =>
      [...names.matchAll(/`([a-z]+)\/`/g)].map(([, name]) => name),
    );
    expect(told).toEqual(PLAY_LAYERS);
  });
});

/** The files of identity that join its rooms. */
const IDENTITY_JOINTS = [
  ...["account-parts.ts", "after-restore.store.ts", "identity.module.ts", "identity.routes.ts"],
  "identity.ts",
];

describe("the rooms of identity", () => {
  const files = sources.filter(({ path }) => path.startsWith(IDENTITY));

  it("hold every file of identity but those that join them", () => {
    const above = files.filter(({ path }) => heightInIdentity(path) === IDENTITY_ROOMS.length);
    const names = above.map(({ path }) => path.slice(IDENTITY.length));
    expect(names.sort()).toEqual(IDENTITY_JOINTS);
  });

  it("let a file import only its own room and lower ones", () => {
    const upward = files
      .filter(({ path }) => !isTest(path))
      .flatMap((source) =>
        source.imports.map((imported) => [source.path, resolved(source, imported)]),
      )
      .filter(([, target = ""]) => target.startsWith(IDENTITY))
      .filter(([path = "", target = ""]) => heightInIdentity(path) < heightInIdentity(target));
    expect(upward).toEqual([]);
  });

  it("are in ARCHITECTURE.md in their order", () => {
    const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const table = page.split("| Room of `identity` | What it holds |\n")[1]?.split("\n\n")[0] ?? "";
    const told = [...table.matchAll(/^\| `([a-z]+)\/` \|/gm)].map(([, name]) => name);
    expect(told).toEqual(IDENTITY_ROOMS);
  });
});

type Rule = (source: Source, imported: Import) => string | null;

function breaks(rule: Rule): string[] {
  return sources
    .filter(({ path }) => roomOf(path) !== null)
    .flatMap((source) =>
      source.imports.map((imported) => {
        const why = EXCEPTIONS.has(edge(source, imported)) ? null : rule(source, imported);
        return why === null ? null : `${edge(source, imported)}: ${why}`;
      }),
    )
    .filter((text) => text !== null);
}

function edge(source: Source, imported: Import): string {
  return `${source.path} -> ${resolved(source, imported)}`;
}

/** A relative import as its path in the repository, any other unchanged. */
function resolved(source: Source, { target }: Import): string {
  if (!target.startsWith(".")) return target;
  return relative(ROOT, resolve(ROOT, dirname(source.path), target)).replaceAll("\\", "/");
}

/** The file of a package's module; any other target unchanged. */
function fileOf(target: string): string {
  const [, room, name] = /^@perya\/([^/]+)\/(.+)$/.exec(target) ?? [];
  if (room === undefined) return target;
  return `packages/${room}/src/${name}.${room === "ui" ? "tsx" : "ts"}`;
}

/** The groups of files that reach each other by their imports, each in order. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...graph.keys()].map((from) => [from, onwards(graph, from)]));
  const circles = [...reached].flatMap(([file, ahead]) => {
    const circle = [...ahead].filter((other) => reached.get(other)?.has(file)).sort();
    return circle[0] === file ? [circle] : [];
  });
  return circles.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

/** Every file that a file imports, directly or through others. */
function onwards(graph: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const next = (graph.get(file) ?? []).filter((one) => !seen.has(one));
    for (const one of next) seen.add(one);
    open.push(...next);
  }
  return seen;
}

function roomOf(path: string): string | null {
  return /^(?:packages|apps)\/([^/]+)\/src\//.exec(path)?.[1] ?? null;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

const roomBreak: Rule = (source, imported) => {
  const room = roomOf(source.path) ?? "";
  const allowed = ROOMS[room];
  if (allowed === undefined) return `the room ${room} is not in the table`;
  if (imported.target.startsWith(".")) {
    const path = resolved(source, imported);
    const sameRoom = roomOf(path) === room || path.startsWith(`${projectOf(source.path)}/`);
    // Tests share their database and fixtures.
    if (sameRoom || (isTest(source.path) && path.startsWith("tests/"))) return null;
    return "another room is imported by its package name, never by path";
  }
  const target = /^@perya\/([^/]+)/.exec(imported.target)?.[1];
  if (target === undefined || target === room || allowed.includes(target)) return null;
  return `${room} may not import ${target}`;
};

const rulesBreak: Rule = (source, { target }) => {
  if (roomOf(source.path) !== "contract" || isTest(source.path)) return null;
  const isOfRules = target.startsWith("@perya/games/") && !WITHOUT_RULES.includes(target);
  return isOfRules ? "the contract takes no rules of games" : null;
};

const schemaBreak: Rule = (source, { target, typeOnly }) => {
  if (roomOf(source.path) !== "client" || isTest(source.path) || typeOnly) return null;
  if (!target.startsWith("@perya/contract/") || WITHOUT_SCHEMAS.includes(target)) return null;
  return "the client takes only types of what has schemas";
};

const packageBreak: Rule = (source, { target }) => {
  if (target.startsWith(".") || isTest(source.path)) return null;
  const room = roomOf(source.path) ?? "";
  if (target.startsWith("node:")) {
    return NODE_ROOMS.has(room) ? null : `${room} runs in browsers too and has no Node`;
  }
  if (target.startsWith("virtual:") || target.startsWith("/")) return null;
  const name = target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
  if (name === `@perya/${room}`) return null;
  const lean = LEAN_ROOMS[room];
  if (lean !== undefined && !name.startsWith("@perya/") && !lean.includes(name)) {
    return `${room} is kept without ${name}`;
  }
  return declared(projectOf(source.path)).has(name) ? null : `${name} is not in its package.json`;
};

const moduleBreak: Rule = (source, imported) => {
  const path = resolved(source, imported);
  const target = moduleOf(path);
  if (source.path.startsWith("apps/server/src/platform/")) {
    if (isTest(source.path)) return null;
    if (target !== null) return "the platform imports no module";
    const root = /^apps\/server\/src\/[^/]+\.ts$/.test(path);
    return root && !imported.typeOnly ? "the platform takes only types from the top" : null;
  }
  const module = moduleOf(source.path);
  if (path.endsWith(".routes.ts") && !/\.(module|routes|test)\.ts$/.test(source.path)) {
    return "routes are for what the module brings to the server";
  }
  if (module === null || target === null || target === module) return topBreak(source, path);
  if (path !== `apps/server/src/modules/${target}/${target}.ts`) {
    return `${target} is entered through ${target}/${target}.ts`;
  }
  // A test may use any module to set its scene.
  if (isTest(source.path)) return null;
  const allowed = MODULES[module];
  if (allowed === undefined) return `the module ${module} is not in the graph`;
  return allowed.includes(target) ? null : `${module} may not import ${target}`;
};

/** The code that wires the server enters a module by its face and its `.module.ts` file. */
function topBreak(source: Source, path: string): string | null {
  const target = moduleOf(path);
  if (target === null || moduleOf(source.path) !== null || isTest(source.path)) return null;
  const face = `apps/server/src/modules/${target}/${target}`;
  if (path === `${face}.module.ts` && source.path === "apps/server/src/build.ts") return null;
  return path === `${face}.ts` ? null : `${target} is entered through ${target}/${target}.ts`;
}

function moduleOf(path: string): string | null {
  return /^apps\/server\/src\/modules\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** @throws Error if a module has two rows */
function readModules(): Record<string, readonly string[]> {
  const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const table = page.split("| Module | May import |\n")[1]?.split("\n\n")[0] ?? "";
  const rows = [...table.matchAll(/^\| ([a-z, -]+) \| ([a-z, -]+) \|$/gm)].flatMap(
    ([, modules = "", allowed = ""]) =>
      modules
        .split(", ")
        .map((name) => [name, allowed === "nothing" ? [] : allowed.split(", ")] as const),
  );
  const modules = Object.fromEntries(rows);
  if (Object.keys(modules).length < rows.length) throw new Error("a module has two rows");
  return modules;
}

function reaches(from: string, to: string, seen = new Set<string>()): boolean {
  return (MODULES[from] ?? []).some((next) => {
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(next, to, seen);
  });
}

const featureBreak: Rule = (source, imported) => {
  const from = featureOf(source.path);
  const to = featureOf(resolved(source, imported));
  return from !== null && to !== null && from !== to ? `${from} may not import ${to}` : null;
};

function featureOf(path: string): string | null {
  return /^apps\/play\/src\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** Code that the bundler loads without an import: one file by its whole name, or a worker. */
const LOADED = /\b(?:import\.meta\.glob(?:<[^>]*>)?|new URL)\(\s*"([^"*]+)"/g;

/** The files of its own room that a file of the browser imports or loads. */
function loadedBy(source: Source): string[] {
  const loaded = [...source.code.matchAll(LOADED)].map(([, target = ""]) => {
    return { target, typeOnly: false };
  });
  return [...source.imports, ...loaded]
    .filter(({ target }) => target.startsWith("."))
    .map((imported) => resolved(source, imported));
}

/** The folder below `apps/play/src`, or the file directly in it. */
function playLayerOf(path: string): string | null {
  return /^apps\/play\/src\/([^/]+)/.exec(path)?.[1] ?? null;
}

function isDownward(path: string, target: string): boolean {
  const from = playLayerOf(path);
  const to = playLayerOf(target);
  if (from === null || to === null || from === to) return true;
  const heightOf = (layer: string) => PLAY_LAYERS.findIndex((names) => names.includes(layer));
  return heightOf(from) !== -1 && heightOf(from) < heightOf(to);
}

function projectOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

const declarations = new Map<string, Set<string>>();

function declared(project: string): Set<string> {
  const known = declarations.get(project);
  if (known !== undefined) return known;
  const manifest: Record<string, unknown> = JSON.parse(
    readFileSync(join(ROOT, project, "package.json"), "utf8"),
  );
  const names = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"]
    .map((key) => manifest[key])
    .flatMap((group) => (typeof group === "object" && group !== null ? Object.keys(group) : []));
  declarations.set(project, new Set(names));
  return new Set(names);
}

function readFolder(folder: string): Source[] {
  const absolute = join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return ["node_modules", "dist", "results"].includes(entry.name) ? [] : readFolder(path);
    }
    if (!/\.(ts|tsx|css)$/.test(entry.name)) return [];
    const code = readFileSync(join(ROOT, path), "utf8");
    return [{ path, code, imports: path.endsWith(".css") ? [] : importsOf(code) }];
  });
}

function importsOf(code: string): Import[] {
  const bare = withoutComments(code);
  const fromClause =
    /^\s*(?:import|export)\s+(type\s+)?[\w*{$][^;"'()]*?\sfrom\s*["']([^"']+)["']/gm;
  const sideEffect = /^\s*import\s*["']([^"']+)["']/gm;
  const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
  const found: (Import & { readonly at: number })[] = [];
  for (const match of bare.matchAll(fromClause)) {
    found.push({ at: match.index, target: match[2] ?? "", typeOnly: match[1] !== undefined });
  }
  for (const match of bare.matchAll(sideEffect)) {
    found.push({ at: match.index, target: match[1] ?? "", typeOnly: false });
  }
  const written = found.sort((a, b) => a.at - b.at);
  for (const match of bare.matchAll(dynamic)) {
    written.push({ at: match.index, target: match[1] ?? "", typeOnly: false });
  }
  return written.map(({ target, typeOnly }) => ({ target, typeOnly }));
}

/** Strings stay, because an import's target is one; a `//` inside a string is no comment. */
function withoutComments(code: string): string {
  return code.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, text: string | undefined) => text ?? "",
  );
}

function withoutTexts(code: string): string {
  return withoutComments(code).replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

function multipliesMoney(code: string): boolean {
  return BARE_ARITHMETIC.test(codeAlone(code));
}

/** Without comments and strings; a template (such as our SQL) keeps only its computed parts. */
function codeAlone(code: string): string {
  return code.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, template: string | undefined) =>
      template === undefined ? '""' : (template.match(/\$\{[^}]*\}/g) ?? []).join(" "),
  );
}
