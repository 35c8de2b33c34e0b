import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, withProgress } from "./project.mjs";

/** The path of the first of these programs on the machine. @param {string[]} names */
export function findProgram(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Whether `installPackage` can work here: it needs Debian and root. */
export function canInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

/** Installs one of Debian's packages and says so. @param {string} name */
export async function installPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await withProgress(`Installing Debian's package ${name}`, async () => {
    await run("apt-get", ["update", "-qq"], { env });
    await run("apt-get", ["install", "-y", "-qq", name], { env });
  });
}
