import { createApi } from "@perya/client/api";
import { describe, expect, it } from "vitest";
import { requestTrial } from "../../parts/games/trial-request.ts";
import { givenLogin, loginBody } from "./login-body.ts";
import { recoveryBody } from "./recovery-body.ts";
import { EMPTY_REGISTRATION, type RegisterName, registrationBody } from "./register-fields.ts";

const KEY = {
  kid: "k1",
  jwk: { kty: "EC", crv: "P-256", x: "x", y: "y" },
  aud: "perya",
  now: 5_000_000,
};

/** The app's own client on a fake network that records each request. */
function createLine({ installed = false, answer = {} as object } = {}) {
  const sent: { line: string; headers: Headers; body: string | null }[] = [];
  const api = createApi({
    getSessionToken: () => null,
    getLanguage: () => "TY",
    isStandalone: () => installed,
    onSessionEnded: () => undefined,
    seal: async (plaintext) => `sealed ${plaintext}`,
    now: () => 1_000_000,
    fetch: async (url, init) => {
      if (String(url).endsWith("/encryption-key")) return Response.json({ value: KEY });
      const body = init?.body ?? null;
      sent.push({
        line: `${init?.method} ${url}`,
        headers: new Headers(init?.headers),
        body: body === null ? null : String(body),
      });
      return Response.json({ value: answer });
    },
  });
  const only = () => {
    const [first] = sent;
    if (first === undefined || sent.length > 1) throw new Error(`${sent.length} calls were sent`);
    return first;
  };
  return { api, only };
}

/** The sealed content; the body must hold nothing else. */
function unsealed(body: string | null): unknown {
  const envelope = JSON.parse(body ?? "null");
  expect(Object.keys(envelope)).toEqual(["data"]);
  return JSON.parse(String(envelope.data).replace("sealed ", "")).body;
}

const TYPED = {
  username: "maria",
  password: "Fiesta2026",
  mobileNum: "",
  verificationCode: "",
  captcha: "",
  remember: false,
};

describe("the account forms", () => {
  it("[A7-03] send a log-in as POST, sealed, with the encryption header, and with the device of an installed app", async () => {
    for (const installed of [false, true]) {
      const { api, only } = createLine({ installed });
      const body = loginBody(givenLogin(TYPED, "username", "+63", ""));
      await api.call("POST /api/v1/auth/login", { body });
      const { line, headers, body: text } = only();
      expect(line).toBe("POST /api/v1/auth/login");
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("x-encryption")).toBe("jwe; kid=k1");
      expect(headers.get("device")).toBe(installed ? "OTHERS" : null);
      expect(unsealed(text)).toMatchObject({ username: "maria", password: "Fiesta2026" });
    }
  });

  it("[A7-04] send a free trial as POST with the module's id", async () => {
    const { api, only } = createLine();
    await requestTrial(api, true);
    expect(only()).toMatchObject({
      line: "POST /api/v1/auth/test-play",
      body: '{"moduleId":"FREEPLAY3"}',
    });
  });

  it("[A3-03] take a trial's type from customerType in its reply", async () => {
    const { api } = createLine({ answer: { token: "t", userName: "trial1", customerType: 4 } });
    expect(await requestTrial(api, true)).toEqual({ token: "t", userName: "trial1", type: 4 });
  });

  it("[A7-05] read the trial account by GET without a payload", async () => {
    const { api, only } = createLine();
    await requestTrial(api, false);
    const { line, headers, body } = only();
    expect([line, body, headers.get("content-type")]).toEqual([
      "GET /api/v1/auth/trial-account",
      null,
      null,
    ]);
  });

  it.each([
    ["username", ["username", "password", "confimpsw"], { username: "maria" }],
    [
      "mobile",
      ["mobileNum2", "messageCode2", "password", "confimpsw"],
      { mobileNum: "9171234567", countryDialingCode: "+63", verificationCode: "123456" },
    ],
  ] as const)("[A7-06] send a registration by %s as PUT, sealed", async (_method, shown, own) => {
    const { api, only } = createLine();
    const values = {
      ...EMPTY_REGISTRATION,
      username: "maria",
      mobileNum2: "917 123 4567",
      messageCode2: "123456",
      password: "Parol2026x",
      confimpsw: "Parol2026x",
      agreed: true,
    };
    const names: readonly RegisterName[] = shown;
    const body = registrationBody(values, names, {
      dialingCode: "+63",
      registerMethod: "PWA",
      registerUrl: "https://perya.example/m/register",
      domain: "perya.example",
    });
    await api.call("PUT /api/v1/auth/register", { body });
    const { line, headers, body: text } = only();
    expect(line).toBe("PUT /api/v1/auth/register");
    expect(headers.get("x-encryption")).toBe("jwe; kid=k1");
    expect(unsealed(text)).toEqual({
      ...own,
      password: "Parol2026x",
      confirmPassword: "Parol2026x",
      registerMethod: "PWA",
      registerUrl: "https://perya.example/m/register",
      domain: "perya.example",
      type: 0,
      agreed: true,
    });
  });

  it("[A7-11] send a forgotten password as POST and as a form, without spaces around either value", async () => {
    const { api, only } = createLine();
    const body = recoveryBody({ username: " maria ", email: " maria@example.com\t" });
    await api.call("POST /api/v1/auth/forgot-password", { body });
    const { line, headers, body: text } = only();
    expect(line).toBe("POST /api/v1/auth/forgot-password");
    expect(headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(text).toBe("username=maria&email=maria%40example.com");
  });

  it("[A7-12] ask for an SMS code by POST as JSON with number, country and human check, and read an instant", async () => {
    const { api, only } = createLine({ answer: { expirationTime: 1_760_000_060_000 } });
    const given = { countryDialingCode: "+63", mobileNum: "9171234567" };
    const body = { purpose: "register", ...given, humanCheck: "solved" } as const;
    const reply = await api.call("POST /api/v1/auth/sms-code", { body });
    expect(reply.expirationTime).toBe(1_760_000_060_000);
    const { line, headers, body: text } = only();
    expect(line).toBe("POST /api/v1/auth/sms-code");
    expect(headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(text ?? "")).toEqual(body);
  });
});
