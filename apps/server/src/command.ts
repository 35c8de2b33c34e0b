import type pg from "pg";
import { type Config, loadConfig } from "./platform/config.ts";
import { createLogger, type Logger } from "./platform/log.ts";
import { openDatabase } from "./platform/postgres/embedded.ts";
import { createPool } from "./platform/postgres/pool.ts";

interface Given {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Logger;
}

/**
 * Runs a command of the house's people on the database that the server's environment names.
 * @param failed what is said of an error; its message alone where it is absent
 * @returns the exit code; 1 for an error
 */
export async function command(
  work: (given: Given) => Promise<number>,
  failed?: string,
): Promise<number> {
  const config = loadConfig(process.env);
  if (!config.ok) return say(`${config.error.join("\n")}\n`, 1);
  const log = createLogger({ level: "warn" });
  const database = await openDatabase(config.value, log);
  const pool = createPool(database.url, { max: 2, log });
  try {
    return await work({ config: config.value, databaseUrl: database.url, pool, log });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return say(failed === undefined ? `${message}\n` : `${failed}: ${String(error)}\n`, 1);
  } finally {
    await pool.end();
    await database.stop();
  }
}

export function say(text: string, exitCode: number): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(text);
  return exitCode;
}
