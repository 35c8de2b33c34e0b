import { canInstall, findProgram, installPackage } from "./debian.mjs";

/** Debian's package, and its successor. */
export const REDIS_PROGRAMS = ["redis-server", "valkey-server"];

/** Several processes hear each other through Redis; without it the tests that need it fail. */
export async function ensureRedis() {
  if (findProgram(REDIS_PROGRAMS) === null && canInstall()) await installPackage("redis-server");
}
