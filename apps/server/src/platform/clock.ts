import type { Clock } from "@perya/kernel/instant";

/** The one reader of the machine's clock; every other room gets a Clock passed in. */
export const systemClock: Clock = { now: () => Date.now() };
