import type pg from "pg";
import { describe, expect, it } from "vitest";
import { solved } from "../server/identity-harness.ts";
import { giveNumber, sealed, serverOfFile } from "./running-server.ts";

/** Log-ins and registrations by number in a browser, with codes from the outbox. */
const NEW_NUMBER = "9170000001";
const BEAS_NUMBER = "9180000001";
const JUNS_NUMBER = "9180000002";
const PASSWORD = "Sampaguita77";
/** The browser's token from when it asked for a code; only its own codes are valid in it. */
let asker = "";

const prepare = async (pool: pg.Pool) => {
  await pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{recoveryByPhone}', 'true')",
  );
  await giveNumber(pool, "bea", BEAS_NUMBER);
  await giveNumber(pool, "jun", JUNS_NUMBER);
};
const server = await serverOfFile({}, { prepare });

describe("a player with a mobile number", () => {
  it("[A1-03 A2.4-08] registers with the code from the outbox, and a friend's invitation", async () => {
    const countries = (await get("countries")).countries;
    expect(countries[0]).toEqual({ code: "PH", dialingCode: "+63", minDigits: 10 });
    expect((await get("auth/register-settings")).methods).toEqual({ username: true, mobile: true });
    expect(await get("auth/invitation-code?code=linda2026")).toEqual({ success: true });
    expect(await get("auth/invitation-code?code=NOBODY")).toEqual({ success: false });
    const registered = await register({
      countryDialingCode: countries[0].dialingCode,
      mobileNum: NEW_NUMBER,
      verificationCode: await codeFor("register", NEW_NUMBER),
      affiliateCode: "LINDA2026",
    });
    expect(registered).toEqual([200, { value: { userName: `63${NEW_NUMBER}` } }]);
    const { rows } = await server.database.pool.query(
      `SELECT inviter.username FROM members m JOIN members inviter ON inviter.id = m.recommender_id
       WHERE m.username = $1`,
      [`63${NEW_NUMBER}`],
    );
    expect(rows).toEqual([{ username: "linda" }]);
  });

  it("[A1-03 A2.3-01] logs in with a code, and its browser is known from then on", async () => {
    const password = await codeFor("login", BEAS_NUMBER);
    const form = { type: "sms", countryDialingCode: "+63", username: `0${BEAS_NUMBER}`, password };
    const logIn = (cookie: string) =>
      sealed(server, "POST", "/api/v1/auth/login", form, { headers: { cookie } });
    expect((await logIn(`perya_asker=${"A".repeat(43)}`)).status).toBe(422);
    await server.database.pool.query("DELETE FROM login_failures");
    const answer = await logIn(asker);
    expect(answer.status).toBe(200);
    expect((await answer.json()).value.userName).toBe("bea");
    const device = answer.headers.getSetCookie().find((one) => one.startsWith("perya_device="));
    expect(device).toMatch(
      /^perya_device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it("[A7-10] sets a password by a sealed POST with the code that came to the number, and logs in with it", async () => {
    const path = "/api/v1/auth/password-by-phone";
    const given = {
      ...{ username: "jun", newPassword: PASSWORD },
      ...{ countryDialingCode: "+63", mobileNum: JUNS_NUMBER },
      verificationCode: await codeFor("reset", JUNS_NUMBER),
    };
    const browser = { headers: { cookie: asker } };
    const open = await fetch(server.url + path, {
      method: "POST",
      headers: { ...browser.headers, "content-type": "application/json" },
      body: JSON.stringify(given),
    });
    expect([open.status, (await open.json()).code]).toEqual([400, "invalid_input"]);
    const set = await sealed(server, "POST", path, given, browser);
    expect([set.status, await set.json()]).toEqual([200, { value: { changed: true } }]);
    const login = { type: "username", username: "jun" };
    const byNew = { ...login, password: PASSWORD };
    expect((await sealed(server, "POST", "/api/v1/auth/login", byNew)).status).toBe(200);
    const byOld = { ...login, password: "Fiesta2026" };
    const refused = await sealed(server, "POST", "/api/v1/auth/login", byOld);
    expect((await refused.json()).code).toBe("login_failed");
  });

  it("[A7-12] requests a code by a JSON POST of number, dialling code and human check, and the reply says in milliseconds when the next one is possible", async () => {
    const check = await solved(await get("auth/human-check"));
    const before = Date.now();
    const asked = await askForCode("register", "9170000712", check);
    const after = Date.now();
    const { value } = await asked.json();
    expect([asked.status, Object.keys(value)]).toEqual([200, ["expirationTime"]]);
    expect(value.expirationTime).toBeGreaterThanOrEqual(before + 60_000);
    expect(value.expirationTime).toBeLessThanOrEqual(after + 60_000);
  });

  it("must pass a human check before any code is sent", async () => {
    const asked = await askForCode("login", BEAS_NUMBER, "bm90aGluZw==");
    expect([asked.status, (await asked.json()).code]).toEqual([422, "human_check_failed"]);
  });

  it("reads faults in their own language, under the field that is wrong", async () => {
    const [status, problem] = await register({
      countryDialingCode: "+63",
      mobileNum: "917000001",
      verificationCode: "123456",
    });
    expect([status, problem.fields]).toEqual([
      400,
      [
        {
          field: "mobileNum",
          code: "too_short",
          limit: "10",
          message: "Hindi bababa sa 10 na character",
        },
      ],
    ]);
  });
});

async function get(path: string) {
  const answer = await fetch(`${server.url}/api/v1/${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()).value;
}

async function register(fields: Readonly<Record<string, unknown>>) {
  const form = {
    ...{ password: PASSWORD, confirmPassword: PASSWORD },
    ...{ registerMethod: "H5", type: 0, agreed: true },
    ...fields,
  };
  const browser = { headers: { cookie: asker } };
  const answer = await sealed(server, "PUT", "/api/v1/auth/register", form, browser);
  return [answer.status, await answer.json()];
}

/** The code may be sent after the reply, to hide whether it is sent, so the page is polled. */
async function codeFor(purpose: string, mobileNum: string): Promise<string> {
  const asked = await askForCode(purpose, mobileNum, await solved(await get("auth/human-check")));
  expect(asked.status).toBe(200);
  const [given = ""] = asked.headers.getSetCookie();
  expect(given).toMatch(
    /^perya_asker=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  asker = given.split(";")[0] ?? "";
  const message = new RegExp(`\\+63${mobileNum}</span>[^]*?your code is (\\d{6})`);
  let code: string | undefined;
  await expect
    .poll(
      async () => {
        const page = await fetch(`${server.url}/outbox`);
        code = message.exec(await page.text())?.[1];
        return code;
      },
      { timeout: 10_000 },
    )
    .toBeDefined();
  return code ?? "";
}

function askForCode(purpose: string, mobileNum: string, humanCheck: string): Promise<Response> {
  return fetch(`${server.url}/api/v1/auth/sms-code`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-language": "EN" },
    body: JSON.stringify({ purpose, countryDialingCode: "+63", mobileNum, humanCheck }),
  });
}
