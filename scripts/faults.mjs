import { existsSync } from "node:fs";
import { buildStale } from "./build.mjs";
import { canInstall, installPackage } from "./debian.mjs";
import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { ensureRedis } from "./redis.mjs";
import { inTurn } from "./turn.mjs";

/**
 * The campaign of faults (`--seed`, `--rounds`, `--only`, `--seconds`, `--least`, `--record` and
 * `--counts` are its own options), or with `--malformed N` that many meaningless requests.
 */
requireNode();
await inTurn(async () => {
  await ensureInstalled();
  await buildStale();
});
await ensureRedis();
const given = process.argv.slice(2);
const program = given.some((word) => word.startsWith("--malformed")) ? "malformed" : "campaign";
// Sets the clock of a running database; without it, the kinds that set it are left out.
const hasFaketime = existsSync("/usr/share/doc/libfaketime");
if (program === "campaign" && !hasFaketime && canInstall()) await installPackage("libfaketime");
process.exitCode = await run(bin("tsx"), [`tests/faults/${program}.ts`, ...given]);
