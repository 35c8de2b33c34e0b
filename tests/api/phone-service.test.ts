import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { startPhoneService } from "../server/phone-service.ts";
import { giveNumber, sealed, startServer } from "./running-server.ts";

/** An installation whose numbers are proven by an outside service, as a browser uses it. */
const NUMBER = "9170000021";
const NEW_NUMBER = "9170000022";
const JUNS_NUMBER = "9170000024";
const PASSWORD = "Sampaguita77";
const DIALING = { countryDialingCode: "+63" };

const service = await startPhoneService();
const prepare = async (pool: pg.Pool) => {
  await pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{recoveryByPhone}', 'true')",
  );
  await giveNumber(pool, "bea", NUMBER);
  await giveNumber(pool, "jun", JUNS_NUMBER);
};
const phoneService = { ...service.config, serviceUrl: null };
const server = await startServer({ phoneService }, { prepare });

afterAll(async () => {
  await server.stop();
  await service.close();
});

describe("a service that proves numbers", () => {
  it("[A7-40 A3-07] logs a player in by its proof of the number, once per proof", async () => {
    const form = await formOf(NUMBER);
    const answer = await logIn(form);
    expect([answer.status, (await answer.json()).value.userName]).toEqual([200, "bea"]);
    expect(await codeOf(await logIn(form))).toEqual([422, "code_wrong"]);
  });

  it("[A7-40 A2.4-16] registers a player by its proof of the number, for just that number", async () => {
    const { firebaseChannel, firebaseIdToken } = await formOf(NEW_NUMBER);
    const register = (mobileNum: string) =>
      sealed(server, "PUT", "/api/v1/auth/register", {
        ...{ ...DIALING, mobileNum, firebaseChannel, firebaseIdToken },
        ...{ password: PASSWORD, confirmPassword: PASSWORD, type: 0 },
        ...{ registerMethod: "H5", agreed: true },
      });
    expect(await codeOf(await register("9170000023"))).toEqual([422, "code_wrong"]);
    const registered = await register(NEW_NUMBER);
    expect([registered.status, await registered.json()]).toEqual([
      200,
      { value: { userName: `63${NEW_NUMBER}` } },
    ]);
    // The proof that created an account does not log in to it as well.
    const again = { type: "firebase", firebaseChannel, firebaseIdToken };
    expect(await codeOf(await logIn(again))).toEqual([422, "code_wrong"]);
  });

  it("[A7-10] sets a password by its proof in place of a code, for just that number", async () => {
    const { firebaseChannel, firebaseIdToken } = await formOf(JUNS_NUMBER);
    const set = (mobileNum: string, username: string) =>
      sealed(server, "POST", "/api/v1/auth/password-by-phone", {
        ...{ username, newPassword: PASSWORD },
        ...{ ...DIALING, mobileNum, firebaseChannel, firebaseIdToken },
      });
    expect(await codeOf(await set(NUMBER, "bea"))).toEqual([422, "code_wrong"]);
    const answer = await set(JUNS_NUMBER, "jun");
    expect([answer.status, await answer.json()]).toEqual([200, { value: { changed: true } }]);
    const login = { type: "username", username: "jun", password: PASSWORD };
    expect((await logIn(login)).status).toBe(200);
  });

  it("that does not answer makes the call answer 503 `busy` in time, and never 500", async () => {
    const away = await startPhoneService();
    away.keys("silent");
    const other = await startServer({ phoneService: away.config });
    const token = await away.token(`+63${NUMBER}`);
    const answers = await Promise.all([
      sealed(other, "POST", "/api/v1/auth/login", { type: "firebase", firebaseIdToken: token }),
      sealed(other, "PUT", "/api/v1/auth/register", {
        ...{ ...DIALING, mobileNum: NEW_NUMBER, firebaseIdToken: token },
        ...{ password: PASSWORD, confirmPassword: PASSWORD, type: 0 },
        ...{ registerMethod: "H5", agreed: true },
      }),
    ]);
    await other.stop();
    await away.close();
    for (const answer of answers) expect(await codeOf(answer)).toEqual([503, "busy"]);
  }, 60_000);
});

describe("the browser", () => {
  it("[A7-40] learns of the service from the status, and of none where none is configured", async () => {
    expect(await phoneServiceOf(server.url)).toEqual({ apiKey: "an-api-key", address: null });
    const bare = await startServer();
    const elsewhere = await startServer({ phoneService: service.config });
    const told = [await phoneServiceOf(bare.url), await phoneServiceOf(elsewhere.url)];
    const policies = [await policyOf(bare.url), await policyOf(elsewhere.url)];
    await Promise.all([bare.stop(), elsewhere.stop()]);
    const { serviceUrl } = service.config;
    expect(told).toEqual([null, { apiKey: "an-api-key", address: serviceUrl }]);
    for (const policy of policies) expect(policy).not.toMatch(/google|gstatic/);
    expect(policies[0]).toContain("frame-src 'self';");
    expect(policies[1]).toMatch(new RegExp(`connect-src 'self'[^;]* ${serviceUrl};`));
  }, 60_000);

  it("may call the service and show its human check from pages, and from no other reply", async () => {
    const page = await policyOf(server.url);
    const recaptcha = "https://www.google.com/recaptcha/";
    expect(page).toMatch(
      /script-src 'self' 'sha256-[^;]* https:\/\/www\.gstatic\.com\/recaptcha\/;/,
    );
    expect(page).toMatch(/connect-src 'self'[^;]* https:\/\/identitytoolkit\.googleapis\.com /);
    for (const directive of ["script-src", "connect-src", "frame-src"]) {
      expect(page.split("; ").find((one) => one.startsWith(directive))).toContain(recaptcha);
    }
    expect(page).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
    expect(await policyOf(server.url, "/api/v1/status")).not.toMatch(/google|gstatic/);
  });
});

async function formOf(mobileNum: string) {
  const firebaseIdToken = await service.token(`+63${mobileNum}`);
  const how = { type: "firebase", firebaseChannel: "phone", firebaseIdToken };
  return { ...how, ...DIALING, firebaseMobileNo: mobileNum };
}

function logIn(form: object): Promise<Response> {
  return sealed(server, "POST", "/api/v1/auth/login", form);
}

async function codeOf(answer: Response): Promise<[number, unknown]> {
  return [answer.status, (await answer.json()).code];
}

async function phoneServiceOf(url: string): Promise<unknown> {
  return (await (await fetch(`${url}/api/v1/status`)).json()).value.info.phoneService;
}

async function policyOf(url: string, path = "/m/home"): Promise<string> {
  return (await fetch(url + path)).headers.get("content-security-policy") ?? "";
}
