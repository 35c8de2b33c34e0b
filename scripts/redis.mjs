import { canInstall, findProgram, installPackage } from "./debian.mjs";

const PROGRAMS = ["redis-server", "valkey-server"];

/** Several processes hear one another through Redis; without it the tests that need it fail. */
export async function ensureRedis() {
  if (findProgram(PROGRAMS) === null && canInstall()) await installPackage("redis-server");
}
