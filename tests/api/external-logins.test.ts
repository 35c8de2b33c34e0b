import { afterAll, describe, expect, it } from "vitest";
import { startOpenIdProvider, throughProvider } from "../server/openid-provider.ts";
import { type Caller, callerOf, logIn as enter, sealed, startServer } from "./running-server.ts";

/** A login with Google as a browser does it; our own provider stands in for Google. */
const google = await startOpenIdProvider({
  ana: { email: "ana@gmail.test", email_verified: true },
});
const server = await startServer({ google: google.client });
google.register([`${server.url}/auth/callback/google`]);

afterAll(async () => {
  await server.stop();
  await google.close();
});

describe("a player with a Google account", () => {
  it("[A2.3-08] is offered a login with Google where it is configured, and no other provider", async () => {
    const answer = await fetch(`${server.url}/api/v1/status`);
    expect((await answer.json()).value.info.externalLogin).toEqual(["google"]);
    const refused = await post("external", { provider: "facebook" });
    expect([refused.status, (await refused.json()).code]).toEqual([403, "feature_off"]);
  });

  it("goes to Google, comes back and is asked for the registration's fields before an account is created", async () => {
    const { flow, cookie } = await comeBack();
    const answer = await finish(flow, cookie);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^perya_external=[\w-]{43}; Max-Age=1200; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const awaited = (await answer.json()).value;
    expect(awaited).toMatchObject({ registration: true, email: "ana@gmail.test" });
    const { ticket } = awaited;
    const form = { ticket, registerMethod: "H5", agreed: true };
    const disagreed = await register({ ...form, agreed: false }, cookie);
    expect((await disagreed.json()).fields).toMatchObject([{ field: "agreed" }]);
    const young = await register({ ...form, birthday: "2015-01-01" }, cookie);
    expect((await young.json()).fields).toMatchObject([{ field: "birthday", code: "too_young" }]);
    expect(await codeOf(await register(form, ""))).toBe("external_login_failed");
    const done = await register({ ...form, birthday: "1999-12-31" }, cookie);
    expect(done.headers.getSetCookie()).toContain(
      "perya_external=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    );
    const reply = (await done.clone().json()).value;
    expect(reply).toMatchObject({ type: 0, firstTimeLogin: true });
    const { headers } = await callerOf(done);
    const info = await fetch(`${server.url}/api/v1/member/info`, { headers });
    expect((await info.json()).value.account).toBe(reply.userName);
  });

  it("is logged in at once from then on, with a wallet", async () => {
    const first = await logIn();
    expect(first.reply).toMatchObject({ type: 0, firstTimeLogin: false });
    const again = await logIn();
    expect(again.reply).toMatchObject({ userName: first.reply.userName, firstTimeLogin: false });
    const info = await fetch(`${server.url}/api/v1/member/info`, { headers: again.caller.headers });
    expect((await info.json()).value.account).toBe(first.reply.userName);
    const wallet = await fetch(`${server.url}/api/v1/member/wallet`, {
      headers: again.caller.headers,
    });
    expect((await wallet.json()).value.sumBalance).toBe("0.00");
  });

  it("is not logged in by another browser's cookie, by a made-up address, or by injected headers", async () => {
    const { url, cookie } = await begin();
    const back = await throughProvider(url, { login: "ana" });
    expect((await fetch(back, { method: "HEAD", headers: { cookie } })).status).toBe(404);
    const stranger = await begin();
    const stolen = await flowOf(back, stranger.cookie);
    expect(await codeOf(await finish(stolen, stranger.cookie))).toBe("external_login_failed");
    const made = new URL(`${server.url}/auth/callback/google?code=x&state=${"A".repeat(43)}`);
    expect(await codeOf(await finish(await flowOf(made, cookie), cookie))).toBe(
      "external_login_failed",
    );
    expect((await finish(await flowOf(back, cookie), cookie)).status).toBe(200);
  });

  it("adds a Google account to their account in the security centre, and removes it", async () => {
    const bea = await enter(server, "bea");
    const unproven = await member("POST", "", bea, { provider: "google" });
    expect(await codeOf(unproven)).toBe("fresh_login_needed");
    const proof = { password: "Fiesta2026" };
    expect((await sealed(server, "POST", "/api/v1/auth/fresh", proof, bea)).status).toBe(200);
    const begun = await member("POST", "", bea, { provider: "google" });
    const [line = ""] = begun.headers.getSetCookie();
    const cookie = line.split(";")[0] ?? "";
    const back = await throughProvider((await begun.json()).value.url, { login: "bea" });
    const answer = await fetch(back, { headers: { cookie }, redirect: "manual" });
    const location = answer.headers.get("location") ?? "";
    expect(location).toMatch(/^\/m\/securityCenter\?link=[\w-]{43}$/);
    const flow = location.split("=")[1] ?? "";
    const browser = { headers: { ...bea.headers, cookie: `${bea.headers.cookie}; ${cookie}` } };
    const added = await member("POST", "/finish", browser, { flow });
    expect(await added.json()).toEqual({ value: { provider: "google" } });
    const listed = await (await member("GET", "", bea)).json();
    expect(listed.value.accounts).toMatchObject([{ provider: "google", removable: true }]);
    expect(await (await member("DELETE", "/google", bea)).json()).toEqual({
      value: { removed: true },
    });
  });

  it("is told in their language when they do not consent", async () => {
    const { url, cookie } = await begin();
    const back = await throughProvider(url, { login: "ana", consents: false });
    const refused = await finish(await flowOf(back, cookie), cookie);
    expect([refused.status, (await refused.json()).detail]).toEqual([
      401,
      "Hindi nakumpirma ang account mo. Subukan ulit.",
    ]);
  });
});

async function comeBack(): Promise<{ flow: string; cookie: string }> {
  const { url, cookie } = await begin();
  const back = await throughProvider(url, { login: "ana" });
  return { flow: await flowOf(back, cookie), cookie };
}

function register(form: unknown, cookie: string): Promise<Response> {
  const caller = { headers: { cookie } };
  return sealed(server, "PUT", "/api/v1/auth/external/register", form, caller);
}

async function logIn() {
  const { flow, cookie } = await comeBack();
  const answer = await finish(flow, cookie);
  expect(answer.headers.getSetCookie()).toContain(
    "perya_external=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
  );
  const reply = (await answer.clone().json()).value;
  return { reply, caller: await callerOf(answer) };
}

async function begin(): Promise<{ url: string; cookie: string }> {
  const answer = await post("external", { provider: "google" });
  expect(answer.status).toBe(200);
  const [line = ""] = answer.headers.getSetCookie();
  expect(line).toMatch(/^perya_external=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  return { url: (await answer.json()).value.url, cookie: line.split(";")[0] ?? "" };
}

/** The flow that the callback puts into the address of the login page. */
async function flowOf(back: URL, cookie: string): Promise<string> {
  const answer = await fetch(back, { headers: { cookie }, redirect: "manual" });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([303, "no-store"]);
  const location = answer.headers.get("location") ?? "";
  expect(location).toMatch(/^\/m\/login\?flow=[\w-]{43}$/);
  return location.split("=")[1] ?? "";
}

/** A call of the security centre. */
function member(method: string, path: string, { headers }: Caller, body?: unknown) {
  return fetch(`${server.url}/api/v1/member/external-accounts${path}`, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function finish(flow: string, cookie: string): Promise<Response> {
  return post("external/finish", { flow }, { cookie });
}

async function codeOf(answer: Response): Promise<string> {
  return (await answer.json()).code;
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/api/v1/auth/${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
