import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sample } from "./measure.ts";

/** Debian keeps the programs of each version in its own folder. */
const DEBIAN = "/usr/lib/postgresql";

function findPgbench(): string | null {
  const folders = [
    ...(process.env.PATH ?? "").split(":"),
    ...(existsSync(DEBIAN)
      ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin"))
      : []),
  ];
  return folders.map((folder) => join(folder, "pgbench")).find((file) => existsSync(file)) ?? null;
}

export interface Pgbench {
  simpleUpdate(seconds: number): Promise<Sample>;
}

/** PostgreSQL's own benchmark on the same server, or null where it is not installed. */
export async function preparePgbench(databaseUrl: string): Promise<Pgbench | null> {
  const program = findPgbench();
  if (program === null) {
    process.stdout.write(
      "pgbench is not installed (Debian: apt-get install postgresql); skipped\n",
    );
    return null;
  }
  await run(program, ["-i", "-q", "-s", "10", databaseUrl]);
  return {
    async simpleUpdate(seconds) {
      const options = [
        "-n",
        "-b",
        "simple-update",
        "-M",
        "prepared",
        "-c",
        "16",
        "-T",
        `${seconds}`,
      ];
      const output = await run(program, [...options, databaseUrl]);
      const rate = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
      const latency = Number(/latency average = ([\d.]+) ms/.exec(output)?.[1]);
      return { rate, p50Ms: latency, p99Ms: Number.NaN };
    },
  };
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (bytes) => {
      output += bytes;
    });
    child.stderr.on("data", (bytes) => {
      output += bytes;
    });
    child.once("error", fail);
    child.once("exit", (code) =>
      code === 0 ? done(output) : fail(new Error(`pgbench ended with ${code}: ${output}`)),
    );
  });
}
