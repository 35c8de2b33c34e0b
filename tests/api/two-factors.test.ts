import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { SoftwareAuthenticator } from "../server/software-authenticator.ts";
import { type Caller, callerOf, logIn, sealed, serverOfFile, VISITOR } from "./running-server.ts";

/** Two factors and passkeys as a browser uses them. */
const LOGIN = { type: "username", username: "bea", password: "Fiesta2026" };
const JSON_TYPE = { "content-type": "application/json" };

const server = await serverOfFile();
const bea = await logIn(server, "bea");
const { password } = LOGIN;
const proven = await sealed(server, "POST", "/api/v1/auth/fresh", { password }, bea);
expect(proven.status).toBe(200);

describe("a passkey", () => {
  it("is made in the security centre and opens a session by itself", async () => {
    const authenticator = new SoftwareAuthenticator();
    const site = { origin: server.url, rpId: "localhost" };
    const begun = await send("POST", "member/passkeys/options", bea, {});
    const made = authenticator.create({ challenge: begun.options.challenge, ...site });
    const given = { challengeId: begun.challengeId, name: "phone", response: made };
    const { id } = await send("POST", "member/passkeys", bea, given);
    const { passkeys } = await send("GET", "member/security", bea);
    expect(passkeys).toMatchObject([{ id, name: "phone" }]);

    const asked = await send("POST", "auth/passkey-options", VISITOR, {});
    const signed = authenticator.get({ challenge: asked.options.challenge, ...site });
    const answer = await post("auth/passkey", VISITOR, {
      challengeId: asked.challengeId,
      response: signed,
    });
    const entered = await callerOf(answer);
    expect((await send("GET", "member/info", entered)).account).toBe("bea");
    expect(await send("DELETE", `member/passkeys/${id}`, bea)).toEqual({ removed: true });
  });
});

describe("two-factor login", () => {
  it("holds the session back until the authenticator's code is given", async () => {
    const { secret } = await send("POST", "member/totp", bea, {});
    const code = (step: number) =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + step * 30_000 });
    const { recoveryCodes } = await send("POST", "member/totp/confirm", bea, { code: code(0) });
    expect(recoveryCodes).toHaveLength(10);

    const held = await sealed(server, "POST", "/api/v1/auth/login", LOGIN);
    expect(held.headers.getSetCookie()).toEqual([]);
    const { value } = await held.json();
    expect(Object.keys(value).sort()).toEqual(["expiresAt", "pending", "secondFactor"]);
    const { pending } = value;
    const wrong = await finish(pending, "0000-0000");
    expect([wrong.status, (await wrong.json()).code]).toEqual([422, "code_wrong"]);
    // This code is one step later than the one that confirmed the setup.
    const entered = await callerOf(await finish(pending, code(1)));
    const { items } = await send("GET", "member/logins?limit=2", entered);
    expect(items.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "done",
      "second_factor_wrong",
    ]);
    const { sessions } = await send("GET", "member/sessions", entered);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const proof = { code: recoveryCodes[0] };
    const proven = await sealed(server, "POST", "/api/v1/auth/fresh", proof, entered);
    expect(proven.status).toBe(200);
    const renewed = await send("POST", "member/totp/recovery-codes", entered, {});
    expect(renewed.recoveryCodes).toHaveLength(10);
    const { totp } = await send("GET", "member/security", entered);
    expect(totp).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    const off = { code: renewed.recoveryCodes[1] };
    expect(await send("DELETE", "member/totp", entered, off)).toEqual({ removed: true });
    expect((await sealed(server, "POST", "/api/v1/auth/login", LOGIN)).status).toBe(200);
  });
});

function finish(pending: string, code: string): Promise<Response> {
  return sealed(server, "POST", "/api/v1/auth/second-factor", { pending, code });
}

function post(path: string, caller: Caller, body: unknown): Promise<Response> {
  return fetch(`${server.url}/api/v1/${path}`, {
    method: "POST",
    headers: { ...caller.headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The value of a call that is granted. */
async function send(
  method: "GET" | "POST" | "DELETE",
  path: string,
  caller: Caller,
  body?: unknown,
) {
  const answer =
    method === "POST"
      ? await post(path, caller, body)
      : await fetch(`${server.url}/api/v1/${path}`, {
          method,
          headers: { ...caller.headers, ...(body === undefined ? {} : JSON_TYPE) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text).value;
}
