import { describe, expect, it } from "vitest";
import { type RunningServer, sealed, serverOfFile, startServer } from "./running-server.ts";

/** Recovery of a forgotten password as a browser does it, and where its mails can be read. */
const LINK = /\/m\/reset\?token=([A-Za-z0-9_-]{43})/;

const server = await serverOfFile();

describe("a forgotten password", () => {
  it("is recovered by a form, a mail in the outbox, and its link", async () => {
    const asked = await askFor(server, "username=+bea+&email=bea%40example.com+");
    expect([asked.status, await asked.json()]).toEqual([200, { value: { sent: true } }]);
    const token = await linkInOutbox();
    const owner = await post(server, "/api/v1/auth/reset-link", { token });
    expect(await owner.json()).toEqual({ value: { userName: "bea" } });
    const newPassword = "Sampaguita77";
    const given = { token, newPassword, confirmNewPassword: newPassword };
    const set = await sealed(server, "POST", "/api/v1/auth/password-by-link", given);
    expect([set.status, await set.json()]).toEqual([200, { value: { changed: true } }]);
    const login = { type: "username", username: "bea", password: newPassword };
    expect((await sealed(server, "POST", "/api/v1/auth/login", login)).status).toBe(200);
  });

  it("gives an unknown player the same answer, byte for byte", async () => {
    const known = await askFor(server, "username=bea&email=bea%40example.com");
    const unknown = await askFor(server, "username=nobody&email=nobody%40example.com");
    expect([unknown.status, await unknown.text()]).toEqual([known.status, await known.text()]);
  });
});

describe("without a mail server", () => {
  it("production has neither an outbox nor recovery by mail", async () => {
    const bare = await startServer({ environment: "production" });
    const page = await fetch(`${bare.url}/outbox`, { redirect: "manual" });
    expect(page.status).not.toBe(200);
    const asked = await askFor(bare, "username=bea&email=bea%40example.com");
    expect([asked.status, (await asked.json()).code]).toEqual([403, "feature_off"]);
    await bare.stop();
  }, 60_000);
});

function askFor({ url }: RunningServer, form: string): Promise<Response> {
  return fetch(`${url}/api/v1/auth/forgot-password`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-language": "EN" },
    body: form,
  });
}

function post({ url }: RunningServer, path: string, body: unknown): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The mail is sent after the reply, so the page is polled until the mail is there. */
async function linkInOutbox(): Promise<string> {
  let token: string | undefined;
  await expect
    .poll(
      async () => {
        const page = await fetch(`${server.url}/outbox`);
        token = LINK.exec(await page.text())?.[1];
        return token;
      },
      { timeout: 10_000 },
    )
    .toBeDefined();
  return token ?? "";
}
