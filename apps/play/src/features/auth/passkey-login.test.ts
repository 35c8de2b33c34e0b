import { describe, expect, it, vi } from "vitest";
import { logInByPasskey } from "./passkey-login.ts";

const SESSION = { token: "half", merchantCode: "perya", userName: "maria", type: 0 };
const CREDENTIAL = { id: "key", rawId: "key", type: "public-key", response: { signature: "s" } };

/** A server that answers both calls, and a browser that always has a passkey. */
function createWorld() {
  const calls: [string, unknown][] = [];
  const call = async (key: string, { body }: { body: unknown }) => {
    calls.push([key, body]);
    return key.endsWith("-options")
      ? { challengeId: "cha_1", options: { challenge: "riddle" } }
      : SESSION;
  };
  const authenticate = vi.fn(async () => CREDENTIAL);
  const logIn = (place: "dialog" | "field", signal = new AbortController().signal) =>
    // Stand-ins for the network and the browser.
    logInByPasskey({ call } as never, place, signal, authenticate as never);
  return { calls, authenticate, logIn };
}

describe("a log-in by passkey", () => {
  it("has the browser sign the server's challenge and returns the session", async () => {
    const { calls, authenticate, logIn } = createWorld();
    await expect(logIn("dialog")).resolves.toEqual(SESSION);
    expect(authenticate).toHaveBeenCalledWith(
      expect.objectContaining({ optionsJSON: { challenge: "riddle" }, useBrowserAutofill: false }),
    );
    expect(calls).toEqual([
      ["POST /api/v1/auth/passkey-options", {}],
      ["POST /api/v1/auth/passkey", { challengeId: "cha_1", response: CREDENTIAL }],
    ]);
  });

  it("waits in the username's field if so told", async () => {
    const { authenticate, logIn } = createWorld();
    await logIn("field");
    expect(authenticate).toHaveBeenCalledWith(
      expect.objectContaining({ useBrowserAutofill: true }),
    );
  });

  it("does not reach the browser once it is cancelled", async () => {
    const { authenticate, logIn } = createWorld();
    const turn = new AbortController();
    const asked = logIn("field", turn.signal);
    turn.abort();
    await expect(asked).rejects.toThrow();
    expect(authenticate).not.toHaveBeenCalled();
  });
});
