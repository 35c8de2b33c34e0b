import type { Page } from "@playwright/test";
import pg from "pg";
import { runningDatabaseUrl } from "../../apps/server/src/platform/postgres/embedded.ts";
import { serverOfWorker } from "./start-perya.ts";

const MINUTE_MS = 60_000;

/**
 * The minute that a number waits for its next code is over, at the server and in the page, whose
 * clock must have been installed.
 */
export async function minuteIsOver(page: Page, number: string): Promise<void> {
  const client = new pg.Client({
    connectionString: (await runningDatabaseUrl(serverOfWorker().folder)) ?? "",
  });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `UPDATE abuse_counts SET window_end = window_end - interval '1 minute'
       WHERE subject = 'sms:minute:' || $1 AND window_end > now()`,
      [number],
    );
    if (rowCount !== 1) throw new Error(`no wait for ${number}`);
  } finally {
    await client.end();
  }
  await page.clock.fastForward(MINUTE_MS);
}
