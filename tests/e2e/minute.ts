import type { Page } from "@playwright/test";
import { inDatabase } from "./database.ts";

const MINUTE_MS = 60_000;

/**
 * Ends the minute that a number waits for its next code, at the server and in the page, whose clock
 * must have been installed: the wait of any asker and that of its owner's devices.
 */
export async function minuteIsOver(page: Page, number: string): Promise<void> {
  await inDatabase(async (client) => {
    const { rowCount } = await client.query(
      `UPDATE abuse_counts SET window_end = window_end - interval '1 minute'
       WHERE subject LIKE 'sms:minute:%' || $1 AND window_end > now()`,
      [number],
    );
    if (rowCount === 0) throw new Error(`no wait for ${number}`);
  });
  await page.clock.fastForward(MINUTE_MS);
}
