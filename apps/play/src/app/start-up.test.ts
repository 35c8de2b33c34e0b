import { expect, it, vi } from "vitest";
import { type StartSteps, startUp } from "./start-up.ts";

/** Steps that take a while and record when they begin and end. */
function recorded(fetchStatus?: () => Promise<void>) {
  const log: string[] = [];
  const later = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((done) => setImmediate(done));
    log.push(`${name} ends`);
  };
  const steps: StartSteps = {
    setMerchant: () => log.push("merchant"),
    addAppStyle: () => log.push("app style"),
    switchLanguage: later("language"),
    fetchStatus: fetchStatus ?? later("status"),
    signIn: later("log-in"),
    loadScreen: later("screen's code"),
    render: () => log.push("first screen"),
  };
  return { log, steps };
}

it("[A2.1-01] the start sets merchant, app style, language and status in order, and only then shows a screen", async () => {
  const { log, steps } = recorded();
  await startUp(steps);
  expect(log).toEqual([
    "merchant",
    "app style",
    "language begins",
    "language ends",
    "status begins",
    "status ends",
    "log-in begins",
    "log-in ends",
    "screen's code begins",
    "screen's code ends",
    "first screen",
  ]);
});

it("a status that fails to load does not hold up the first screen", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { log, steps } = recorded(() => Promise.reject(new Error("no network")));
  await startUp(steps);
  expect(log.at(-1)).toBe("first screen");
  expect(warned).toHaveBeenCalledOnce();
});
