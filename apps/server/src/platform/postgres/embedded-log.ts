import { existsSync, readFileSync } from "node:fs";
import { copyFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../log.ts";

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LAST_LINES = 5;

export function logFileOf(home: string): string {
  return join(home, "postgres.log");
}

/**
 * A log of more than 10 MB replaces the one before, `postgres.log.1`, and begins anew. It is copied
 * and emptied, not renamed, since PostgreSQL goes on writing into the file that it was given; a
 * line of the moment between is lost. Never throws: if the disk has no room, the log stays.
 */
export async function turnLog(home: string, log: Logger): Promise<void> {
  const file = logFileOf(home);
  const earlier = `${file}.1`;
  try {
    if (!existsSync(file) || (await stat(file)).size <= MAX_LOG_BYTES) return;
    await copyFile(file, earlier);
    await truncate(file);
  } catch (error) {
    log.warn({ err: error }, "the database's log cannot be turned");
    // Half a copy takes room that is needed.
    await rm(earlier, { force: true }).catch(() => undefined);
  }
}

export function lastLines(home: string): string {
  const path = logFileOf(home);
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  return lines.slice(-LAST_LINES).join("\n");
}
