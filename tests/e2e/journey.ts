import { type BrowserContext, test as base, expect } from "@playwright/test";

export { expect };

/** Hides the pop-ups of announcements for longer than any run takes. */
export const POPUPS_SENT_AWAY = { name: "MC_POPUPS_HIDDEN", value: "9999-12-31" };

interface JourneyOptions {
  /** Whether announcements pop up after a log-in: they have their own journey. */
  readonly popups: boolean;
}

/** A test of what a player does, in a browser that shows pop-ups only if the test asks for them. */
export const test = base.extend<JourneyOptions>({
  popups: [false, { option: true }],
  context: async ({ context, popups }, use) => {
    if (!popups) await sendPopupsAway(context);
    await use(context);
    // An answer of a journey's route after the end of the journey is no failure.
    const routed = [context, ...context.pages()];
    await Promise.all(routed.map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
  },
});

/** A stored state would do the same, but open another page for each context. */
export async function sendPopupsAway(context: BrowserContext): Promise<void> {
  await context.addInitScript(({ name, value }) => {
    // A page without an origin has no storage.
    if (self.origin !== "null") localStorage.setItem(name, value);
  }, POPUPS_SENT_AWAY);
}
