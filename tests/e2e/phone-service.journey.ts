import { randomInt } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { GOOGLE_HOST, type PhoneService, startPhoneService } from "../server/phone-service.ts";
import { seriousFaults } from "./axe.ts";
import { inDatabase } from "./database.ts";
import { test as base, expect } from "./journey.ts";
import { type Perya, startPerya } from "./perya.ts";
import { loginDialog, PASSWORD, registerDialog } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
type T = typeof ty;
/** Starting a separate database takes a while. */
const START_TIMEOUT_MS = 120_000;
/** Google's human check: an element over the whole page that waits for the player. */
const RECAPTCHA = `
  let token = "";
  let done = () => undefined;
  window.grecaptcha = {
    render: (place, { callback }) => { done = callback; return 1; },
    getResponse: () => token,
    reset: () => { token = ""; },
    execute: () => {
      const over = document.createElement("div");
      over.style.cssText = "position:fixed;inset:0;z-index:2000000000;background:#fff";
      const button = document.createElement("button");
      button.textContent = "a human";
      button.onclick = () => { over.remove(); token = "of a human"; done(token); };
      over.append(button);
      document.body.append(over);
    },
  };
  window[new URL(document.currentScript.src).searchParams.get("onload")]();`;

interface Servers {
  readonly service: PhoneService;
  /** On this server players prove their numbers to Google. */
  readonly perya: Perya;
}

/** A brand whose numbers are proven by an outside service; a stand-in for it runs beside Perya. */
const test = base.extend<object, { servers: Servers }>({
  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from it.
    async ({}, use) => {
      const service = await startPhoneService();
      const perya = await startPerya(environmentOf(service));
      const settings = { recoveryByPhone: true };
      await inDatabase(
        (client) => client.query("UPDATE merchants SET settings = settings || $1", [settings]),
        perya,
      );
      await use({ service, perya });
      await perya.stop();
      await service.close();
    },
    { scope: "worker", timeout: START_TIMEOUT_MS },
  ],
  baseURL: ({ servers }, use) => use(servers.perya.url),
});

function environmentOf({ config }: PhoneService) {
  return {
    FIREBASE_PROJECT_ID: config.projectId,
    FIREBASE_API_KEY: config.apiKey,
    FIREBASE_KEYS_URL: config.keysUrl,
  };
}

test("[A7-40] a player registers with a number that the service proves, and logs in with it", async ({
  page,
  servers: { service },
}) => {
  await atGoogle(page, service);
  const code = countedLoads(page);
  const ours: string[] = [];
  page.on("request", (request) => {
    if (/\/auth\/(sms-code|human-check)$/.test(request.url())) ours.push(request.url());
  });
  const number = freshNumber();
  await page.goto("/m/register");
  const form = registerDialog(page, ty);
  await form.getByRole("tab", { name: ty("auth.mobileNum") }).click();
  await form.getByRole("textbox", { name: ty("auth.mobileNum"), exact: true }).fill(`0${number}`);
  // The library is loaded when the player asks for a code, and not before.
  expect(code()).toBe(0);

  service.failNext("TOO_MANY_ATTEMPTS_TRY_LATER");
  const send = form.getByRole("button", { name: ty("auth.sms_send") });
  await send.click();
  await page.getByRole("button", { name: "a human" }).click();
  await expect(page.getByText(ty("auth.code_too_many"))).toBeVisible();
  await send.click();
  await page.getByRole("button", { name: "a human" }).click();
  await expect(page.getByText(ty("auth.in_sms_send"))).toBeVisible();
  await expect(form.getByRole("button", { name: /^\d+ s$/ })).toBeDisabled();
  expect(code()).toBe(1);

  const typed = form.getByLabel(ty("auth.sms_code"), { exact: true });
  await typed.fill("000000");
  await form.getByLabel(ty("auth.password"), { exact: true }).fill(PASSWORD);
  await form.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(PASSWORD);
  await form.getByRole("checkbox").check();
  const register = form.getByRole("button", { name: ty("auth.register"), exact: true });
  await register.click();
  await expect(typed).toHaveAccessibleDescription(ty("auth.code_wrong"));
  expect(await seriousFaults(page)).toEqual([]);

  await typed.fill(service.codeTo(`+63${number}`));
  await register.click();
  await expect(page.getByText(ty("auth.registered"))).toBeVisible();

  const login = loginDialog(page, ty);
  await login.getByRole("tab", { name: ty("auth.mobileNum") }).click();
  await login.getByRole("textbox", { name: ty("auth.mobileNum"), exact: true }).fill(number);
  await askForCode(page, login, ty);
  await login.getByLabel(ty("auth.sms_code"), { exact: true }).fill(service.codeTo(`+63${number}`));
  await login.getByRole("button", { name: ty("auth.login"), exact: true }).click();
  await expect(page.getByText(ty("auth.welcome", { name: `63${number}` }))).toBeVisible();
  expect(ours).toEqual([]);
  // Nobody stays logged in at the service; its library stores only that it was used.
  const kept = await page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => name),
  ]);
  expect(kept.filter((name) => /firebase/i.test(name ?? ""))).toEqual([
    "firebase-heartbeat-database",
  ]);
});

test("[A7-40] a player replaces a forgotten password by a number that the service proves, in English", async ({
  page,
  servers: { service, perya },
}) => {
  // The player is one of the demo, whose password is known.
  const [name, old] = ["jun", "Fiesta2026"];
  const number = freshNumber();
  await inDatabase(
    (client) =>
      client.query(
        `UPDATE members SET dialing_code = '+63', mobile_num = $2, mobile_verified_at = now()
         WHERE username = $1`,
        [name, number],
      ),
    perya,
  );
  await atGoogle(page, service);
  await inLanguage(page, "EN");
  await page.goto("/m/forget");
  const forget = page.getByRole("dialog", { name: en("auth.forgot_title"), exact: true });
  const next = forget.getByRole("button", { name: en("auth.next") });
  const retrieve = forget.getByRole("button", { name: en("auth.retrieve") });
  const typed = forget.getByLabel(en("auth.sms_code"), { exact: true });
  await forget.getByRole("textbox", { name: en("auth.username"), exact: true }).fill(name);
  await next.click();
  await forget.getByRole("textbox", { name: en("auth.mobileNum"), exact: true }).fill(number);
  await askForCode(page, forget, en);
  const password = forget.getByLabel(en("auth.new_password"), { exact: true });

  service.failNext("SESSION_EXPIRED");
  await typed.fill(service.codeTo(`+63${number}`));
  await password.fill(old);
  await retrieve.click();
  await expect(forget.getByText(en("auth.code_expired"))).toBeVisible();
  // A code that the service accepted once is still valid for a form that is sent again.
  await next.click();
  await typed.fill(service.codeTo(`+63${number}`));
  await retrieve.click();
  await expect(password).toHaveValue("");
  await password.fill("Kalesa2027y");
  await retrieve.click();
  await expect(forget.getByText(en("auth.reset_done"))).toBeVisible();
  await forget.getByRole("button", { name: en("auth.confirm") }).click();
  await expect(page.getByText(en("auth.welcome", { name }))).toBeVisible();
});

test("the page says in English that a number has no player, and that the service cannot be reached", async ({
  page,
  servers: { service },
}) => {
  await inLanguage(page, "EN");
  await atGoogle(page, service);
  const number = freshNumber();
  await page.goto("/m/login");
  const login = loginDialog(page, en);
  await login.getByRole("tab", { name: en("auth.mobileNum") }).click();
  await login.getByRole("textbox", { name: en("auth.mobileNum"), exact: true }).fill(number);
  await askForCode(page, login, en);
  const typed = login.getByLabel(en("auth.sms_code"), { exact: true });
  const enter = login.getByRole("button", { name: en("auth.login"), exact: true });
  await typed.fill("000000");
  await enter.click();
  await expect(login.getByRole("alert")).toHaveText(en("auth.code_wrong"));
  await page.route(`https://${GOOGLE_HOST}/**`, (route) => route.abort());
  await typed.fill(service.codeTo(`+63${number}`));
  await enter.click();
  await expect(login.getByRole("alert")).toHaveText(en("error.slow"));
  await page.unroute(`https://${GOOGLE_HOST}/**`);
  await atGoogle(page, service);
  await enter.click();
  await expect(login.getByRole("alert")).toHaveText(
    "Sorry, the user does not exist or is disabled.",
  );
});

test("[A7-40] a service at another address is called there, without Google's human check", async ({
  page,
  servers: { service },
}) => {
  const perya = await startPerya({
    ...environmentOf(service),
    FIREBASE_AUTH_URL: service.config.serviceUrl,
  });
  const google: string[] = [];
  page.on("request", (request) => {
    if (/google|gstatic/.test(new URL(request.url()).host)) google.push(request.url());
  });
  const number = freshNumber();
  await page.goto(`${perya.url}/m/login`);
  const login = loginDialog(page, ty);
  await login.getByRole("tab", { name: ty("auth.mobileNum") }).click();
  await login.getByRole("textbox", { name: ty("auth.mobileNum"), exact: true }).fill(number);
  await login.getByRole("button", { name: ty("auth.sms_send") }).click();
  await expect(page.getByText(ty("auth.in_sms_send"))).toBeVisible();
  await login.getByLabel(ty("auth.sms_code"), { exact: true }).fill(service.codeTo(`+63${number}`));
  await login.getByRole("button", { name: ty("auth.login"), exact: true }).click();
  await expect(login.getByRole("alert")).toHaveText(
    "Pasensya na, walang ganitong user o naka-disable ito.",
  );
  expect(google).toEqual([]);
  await perya.stop();
});

/** Answers for Google's hosts, as far as a log-in by number calls them. */
async function atGoogle(page: Page, service: PhoneService): Promise<void> {
  await page.route(`https://${GOOGLE_HOST}/**`, async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const said = await service.answer(pathname, request.postData() ?? "");
    const headers = { "access-control-allow-origin": "*" };
    await route.fulfill({ ...said, headers, contentType: "application/json" });
  });
  await page.route("https://www.google.com/recaptcha/api.js?*", (route) =>
    route.fulfill({ contentType: "text/javascript", body: RECAPTCHA }),
  );
}

async function askForCode(page: Page, form: Locator, t: T): Promise<void> {
  await form.getByRole("button", { name: t("auth.sms_send") }).click();
  await page.getByRole("button", { name: "a human" }).click();
  await expect(page.getByText(t("auth.in_sms_send")).last()).toBeVisible();
}

/** How often the page fetched the code that speaks to the service. */
function countedLoads(page: Page): () => number {
  let loads = 0;
  page.on("request", (request) => {
    if (/\/assets\/outside-code-/.test(request.url())) loads += 1;
  });
  return () => loads;
}

function freshNumber(): string {
  return `917${String(randomInt(10_000_000)).padStart(7, "0")}`;
}
