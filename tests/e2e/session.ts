import { randomInt } from "node:crypto";
import {
  type APIRequestContext,
  type APIResponse,
  type Browser,
  expect,
  type Page,
} from "@playwright/test";
import { freshId } from "../../packages/client/src/ids.ts";
import { sealFor } from "../setup/seal-body.ts";
import { inDatabase } from "./database.ts";
import { POPUPS_SENT_AWAY } from "./journey.ts";
import { PASSWORD } from "./player.ts";

/** Logs in without the form, for journeys that test what comes after it. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  const answer = await logIn(page.request, username, password);
  const { value } = await answer.json();
  // The reply set the session's cookie; its other half goes where the page looks for it. An open
  // page would follow the log-in by itself and disturb the journey's next step.
  await keep(page, new URL(answer.url()).origin, [
    { name: "MC_SESSION_INFO", value: JSON.stringify(value) },
    POPUPS_SENT_AWAY,
  ]);
}

/** Replaces all that the browser stores for an origin, from an empty page. */
export async function keep(
  page: Page,
  origin: string,
  kept: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  const empty = `${origin}/empty-page-of-a-journey`;
  await page.route(empty, (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto(empty);
  await page.evaluate((list) => {
    localStorage.clear();
    for (const { name, value } of list) localStorage.setItem(name, value);
  }, kept);
  await page.unroute(empty);
}

/** Makes the browser one that was never here. */
export async function forgetAll(page: Page): Promise<void> {
  await keep(page, new URL(page.url()).origin, []);
  await page.context().clearCookies();
}

/** A new member who is logged in and has no money yet. */
export async function newMember(page: Page, username: string): Promise<void> {
  await register(page, username);
  await signIn(page, username, PASSWORD);
}

/** A new member's account without a session. */
export async function register({ request }: Page, username: string): Promise<void> {
  await sealed(request, "PUT", "/api/v1/auth/register", {
    username,
    password: PASSWORD,
    confirmPassword: PASSWORD,
    registerMethod: "H5",
    type: 0,
    agreed: true,
  });
}

/** Pays in without the cashier's pages, for journeys that use the money. */
export async function payIn(page: Page, pesos: number): Promise<void> {
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const amount = { minor: `${pesos}00`, currency: "PHP" };
  const data = { id: freshId("deposit"), method: "gwallet", amount };
  const begun = await page.request.post("/api/v1/cashier/deposits", { headers, data });
  const { value } = await begun.json();
  await page.request.post(value.payUrl, { form: { outcome: "paid" }, maxRedirects: 0 });
  const state = async () => {
    const answer = await page.request.get(`/api/v1/cashier/deposits/${value.id}`, { headers });
    return (await answer.json()).value.state;
  };
  await expect.poll(state, { intervals: [100] }).toBe("paid");
}

/** Signs the player out on all devices except a new one without a page. */
export async function endOtherSessions(browser: Browser, username: string): Promise<void> {
  const device = await browser.newContext();
  const answer = await logIn(device.request, username, PASSWORD);
  const { value } = await answer.json();
  const headers = { authorization: `Bearer ${value.token}` };
  const ended = await device.request.delete("/api/v1/member/sessions", { headers });
  expect(ended.ok()).toBe(true);
  await device.close();
}

/** Proves the session, as if the player had typed their password in the proof sheet. */
export async function proveSession(page: Page): Promise<void> {
  const authorization = `Bearer ${await tokenOf(page)}`;
  const body = { password: PASSWORD };
  await sealed(page.request, "POST", "/api/v1/auth/fresh", body, { authorization });
}

/** Gives the member a verified number, which red packets and promotions require. */
export async function verifyNumber(username: string): Promise<void> {
  await inDatabase(async (client) => {
    const mobileNum = `917${`${randomInt(10_000_000)}`.padStart(7, "0")}`;
    const { rowCount } = await client.query(
      `UPDATE members SET dialing_code = '+63', mobile_num = $2, mobile_verified_at = now()
       WHERE username = $1`,
      [username.toLowerCase(), mobileNum],
    );
    if (rowCount !== 1) throw new Error(`no member ${username}`);
  });
}

/** The session token, for the journey's own requests. */
export async function tokenOf(page: Page): Promise<string> {
  const { origins } = await page.context().storageState();
  const kept = origins.flatMap(({ localStorage }) => localStorage);
  const info = kept.find(({ name }) => name === "MC_SESSION_INFO");
  return JSON.parse(info?.value ?? "{}").token;
}

function logIn(
  request: APIRequestContext,
  username: string,
  password: string,
): Promise<APIResponse> {
  const body = { type: "username", username, password };
  return sealed(request, "POST", "/api/v1/auth/login", body);
}

async function sealed(
  request: APIRequestContext,
  method: string,
  path: string,
  body: object,
  own: Readonly<Record<string, string>> = {},
): Promise<APIResponse> {
  const key = await (await request.get("/api/v1/encryption-key")).json();
  const { headers, data } = await sealFor(key.value, `${method} ${path}`, body);
  const answer = await request.fetch(path, {
    method,
    headers: { "x-forwarded-for": anAddress(), ...own, ...headers },
    data: { data },
  });
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return answer;
}

/** Many players use one server; their log-ins would exceed the limit of a single address. */
function anAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}
