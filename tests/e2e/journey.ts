import { type BrowserContext, test as base, expect } from "@playwright/test";

export { expect };

/** The pop-ups of announcements, sent away for longer than any run takes. */
export const POPUPS_SENT_AWAY = { name: "MC_POPUPS_HIDDEN", value: "9999-12-31" };

interface JourneyOptions {
  /** Whether what pops up after a log-in does: it has a journey of its own. */
  readonly popups: boolean;
}

/** A test of what a player does, in a browser that sees no pop-up unless it asks for them. */
export const test = base.extend<JourneyOptions>({
  popups: [false, { option: true }],
  context: async ({ context, popups }, use) => {
    if (!popups) await sendPopupsAway(context);
    await use(context);
    // What a journey's route still answers when the journey is over is nobody's failure.
    const routed = [context, ...context.pages()];
    await Promise.all(routed.map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
  },
});

/** A stored state would do as well, and open a page of its own for each context. */
export async function sendPopupsAway(context: BrowserContext): Promise<void> {
  await context.addInitScript(({ name, value }) => {
    // A page without an origin has no storage.
    if (self.origin !== "null") localStorage.setItem(name, value);
  }, POPUPS_SENT_AWAY);
}
