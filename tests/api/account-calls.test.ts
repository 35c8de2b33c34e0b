import { describe, expect, it } from "vitest";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { type Caller, callerOf, logIn, sealed, serverOfFile, VISITOR } from "./running-server.ts";

/** The calls table of the specification (accounts §7), on the wire: inputs and replies. */
const server = await serverOfFile();

describe("the calls", () => {
  it("[A7-01] answer a success with one envelope", async () => {
    for (const path of ["status", "countries", "auth/register-settings", "games/hot", "winners"]) {
      const answer = await call("GET", `/api/v1/${path}`);
      expect([answer.status, Object.keys(answer.json)], path).toEqual([200, ["value"]]);
    }
  });

  it("[A7-02] refuse with a problem that has a stable code", async () => {
    for (const [method, path, status, code] of [
      ["GET", "/api/v1/member/info", 401, "not_logged_in"],
      ["GET", "/api/v1/games/999999999", 404, "not_found"],
      ["GET", "/api/v1/auth/username-availability", 400, "invalid_input"],
      ["GET", "/api/v1/nothing-here", 404, "not_found"],
    ] as const) {
      const answer = await call(method, path);
      expect([answer.status, answer.type, answer.json.code]).toEqual([
        status,
        expect.stringMatching(/^application\/problem\+json/),
        code,
      ]);
    }
  });

  it("[A5-11 A7-03 A7-06] take a log-in by POST and a registration by PUT, only with a sealed body", async () => {
    const form = { type: "username", username: "bea", password: "Fiesta2026" };
    expect((await sealed(server, "POST", "/api/v1/auth/login", form)).status).toBe(200);
    expect((await call("POST", "/api/v1/auth/login", VISITOR, form)).status).toBe(400);
    expect((await call("PUT", "/api/v1/auth/login", VISITOR, form)).status).toBe(404);
    const fields = { password: "Fiesta2026", confirmPassword: "Fiesta2026", registerMethod: "H5" };
    const registration = { ...fields, username: "new_by_put", type: 0, agreed: true };
    expect((await call("PUT", "/api/v1/auth/register", VISITOR, registration)).status).toBe(400);
    for (const agreed of [undefined, false]) {
      const disagreed = { ...registration, agreed };
      const refused = await sealed(server, "PUT", "/api/v1/auth/register", disagreed);
      expect([refused.status, (await refused.json()).fields]).toEqual([
        400,
        [expect.objectContaining({ field: "agreed" })],
      ]);
    }
    const registered = await sealed(server, "PUT", "/api/v1/auth/register", registration);
    expect([registered.status, await registered.json()]).toEqual([
      200,
      { value: { userName: "new_by_put" } },
    ]);
    const byMobile = await sealed(server, "PUT", "/api/v1/auth/register", {
      ...registration,
      username: undefined,
      countryDialingCode: "+63",
      mobileNum: "9175550000",
      verificationCode: "000000",
    });
    expect([byMobile.status, (await byMobile.json()).code]).toEqual([422, "code_wrong"]);
  });

  it("[A7-04 A7-05] start a trial by POST with the module's id, and by GET from a page that says its language", async () => {
    const started = await call("POST", "/api/v1/auth/test-play", VISITOR, {
      moduleId: "FREEPLAY3",
    });
    expect([started.status, started.json.value.customerType]).toEqual([200, 4]);
    const path = "/api/v1/auth/trial-account";
    const trial = await callerOf(
      await fetch(server.url + path, { headers: { "x-language": "EN" } }),
    );
    const wallet = await call("GET", "/api/v1/member/wallet", trial);
    expect(wallet.json.value.available).toEqual({ minor: "1000000", currency: "FUN" });
    // A plain navigation creates no trial, and leaves the browser's session as it is.
    const led = await fetch(server.url + path);
    expect([led.status, led.headers.getSetCookie()]).toEqual([400, []]);
    expect((await led.json()).fields).toMatchObject([{ field: "x-language", code: "required" }]);
  });

  it("[A7-07] tell by GET which fields a registration of the brand shows, requires and accepts", async () => {
    const { json } = await call("GET", "/api/v1/auth/register-settings");
    expect(json.value.fields).toEqual(demoBrand.settings.registerFields);
    // There is a field of each kind, so one value cannot serve for all.
    const { username, email, nickname } = json.value.fields;
    expect([username.required, email.required, email.enabled, nickname.enabled]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("[A7-08] verify a value by GET as a registration would judge it", async () => {
    const judged = async (field: string, value: string) => {
      const query = new URLSearchParams({ field, value });
      return (await call("GET", `/api/v1/auth/verification?${query}`)).json.value;
    };
    expect(await judged("email", "tess@example.com")).toEqual({ valid: true, faults: [] });
    expect(await judged("email", "tess@")).toEqual({
      valid: false,
      faults: [{ code: "bad_format" }],
    });
    expect(await judged("username", "")).toEqual({ valid: false, faults: [{ code: "required" }] });
    expect(await judged("birthday", "2020-01-01")).toEqual({
      valid: false,
      faults: [{ code: "too_young", limit: "21" }],
    });
    const secret = await call("GET", "/api/v1/auth/verification?field=password&value=x");
    expect([secret.status, secret.json.fields[0].field]).toEqual([400, "field"]);
  });

  it("[A7-09] change a password by a sealed POST of three fields", async () => {
    const bea = await logIn(server, "bea");
    const given = { newPassword: "Sampaguita77", confirmNewPassword: "Sampaguita78" };
    const path = "/api/v1/auth/password";
    const differ = await sealed(server, "POST", path, { oldPassword: "Fiesta2026", ...given }, bea);
    expect([differ.status, (await differ.json()).fields[0].field]).toEqual([
      400,
      "confirmNewPassword",
    ]);
    const confirmNewPassword = given.newPassword;
    const changed = await sealed(
      server,
      "POST",
      path,
      { oldPassword: "Fiesta2026", ...given, confirmNewPassword },
      bea,
    );
    expect([changed.status, await changed.json()]).toEqual([200, { value: { changed: true } }]);
  });

  it("[A7-35] answer the help centre by GET in the language of `lang`, and for a mobile device in that of `language`", async () => {
    const titles = async (query: string) => {
      const { json } = await call("GET", `/api/v1/help?${query}`);
      return json.value.entries.map(({ title }: { title: string }) => title);
    };
    const [english, tagalog] = [await titles("lang=EN"), await titles("lang=TY")];
    expect(english).toContain("Frequently asked questions");
    expect(tagalog).toContain("Mga madalas itanong");
    expect(await titles("device=MOBILE&language=EN")).toEqual(english);
    expect(await titles("device=MOBILE&language=TY")).toEqual(tagalog);
    const { status, json } = await call("GET", "/api/v1/help?device=WEB&language=EN");
    expect([status, json.fields[0].field]).toEqual([400, "device"]);
  });

  it("[A7-13] hand out a captcha's picture in the field cap", async () => {
    const { json } = await call("GET", "/api/v1/auth/captcha");
    const png = Buffer.from(json.value.cap, "base64");
    expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
  });

  it("[A7-14 A7-15 A7-16] answer whether a name is free, whether a code invites, and all countries", async () => {
    const free = async (name: string) =>
      (await call("GET", `/api/v1/auth/username-availability?username=${name}`)).json.value;
    expect(await free("maria")).toEqual({ available: false });
    expect(await free("nobody_yet")).toEqual({ available: true });
    const invites = async (code: string) =>
      (await call("GET", `/api/v1/auth/invitation-code?code=${code}`)).json.value;
    expect(await invites("LINDA2026")).toEqual({ success: true });
    expect(await invites("NOBODY99")).toEqual({ success: false });
    const { countries } = (await call("GET", "/api/v1/countries")).json.value;
    expect(countries.length).toBeGreaterThan(200);
    expect(countries[0]).toMatchObject({ code: "PH", dialingCode: "+63" });
  });

  it("[A7-17] end a session by DELETE with its token; no GET has a body", async () => {
    const maria = await logIn(server, "maria");
    const ended = await call("DELETE", "/api/v1/auth/logout", maria);
    expect(ended.json).toEqual({ value: { ended: true } });
    expect((await call("GET", "/api/v1/member/info", maria)).status).toBe(401);
    for (const [key, { body }] of Object.entries<Call>(calls)) {
      if (key.startsWith("GET ")) expect(body, key).toBeUndefined();
    }
  });

  it("end a session without touching its cookie, which may belong to a later session by the time of the reply", async () => {
    const { headers } = await logIn(server, "maria");
    const url = `${server.url}/api/v1/auth/logout`;
    const ended = await fetch(url, { method: "DELETE", headers });
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([200, []]);
  });

  it("[A7-29 A7-30 A7-31] tell the status, who is logged in, and the balance, by GET without payload", async () => {
    const status = await call("GET", "/api/v1/status");
    expect(status.json.value).toMatchObject({
      info: { merchantCode: "perya", currency: "PHP" },
      location: { ip: expect.any(String) },
      maintenance: false,
      regionRestriction: false,
    });
    const linda = await logIn(server, "linda");
    const info = await call("GET", "/api/v1/member/info", linda);
    expect(info.json.value).toMatchObject({ account: "linda", type: 1 });
    const maria = await logIn(server, "maria");
    const { rows } = await server.database.pool.query(
      `SELECT trim(to_char(balance / 100.0, '999999990.00')) AS figure
       FROM ledger_accounts WHERE currency = 'PHP'
       AND owner_id = (SELECT id FROM members WHERE username = 'maria')`,
    );
    expect(rows).toEqual([{ figure: expect.stringMatching(/^[1-9]\d*\.\d{2}$/) }]);
    const wallet = await call("GET", "/api/v1/member/wallet", maria);
    expect(wallet.json.value.sumBalance).toBe(rows[0].figure);
  });

  it("[A7-38 G7-17] tell an agent by GET without payload which contracts wait, and the conditions of each", async () => {
    const linda = await logIn(server, "linda");
    const { status, json } = await call("GET", "/api/v1/agent/contract-info", linda);
    expect([status, json.value]).toEqual([
      200,
      { dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" },
    ]);
    for (const kind of ["daily-salary", "dividend"]) {
      const path = `/api/v1/agent/contract-requests/${kind}`;
      const requests = await call("GET", path, linda);
      expect([requests.status, requests.json], kind).toEqual([200, { value: { list: [] } }]);
      expect((await call("POST", path, linda)).status, kind).toBe(404);
    }
  });

  it("[A7-39] tell an agent by GET what the team did between two days, size 0", async () => {
    const linda = await logIn(server, "linda");
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Manila" }).format(new Date());
    const days = `/api/v1/agent/team-kpi?startDate=${today}&endDate=${today}`;
    const { status, json } = await call("GET", `${days}&size=0`, linda);
    expect([status, json.value]).toEqual([
      200,
      {
        footer: {
          teamLoginMemberCount: expect.any(Number),
          teamBetMemberCount: expect.any(Number),
          teamRegisterMemberCount: expect.any(Number),
          teamOnlineCount: expect.any(Number),
        },
      },
    ]);
    for (const [path, field] of [
      [`${days}&size=9`, "size"],
      ["/api/v1/agent/team-kpi?size=0", "startDate"],
      [`/api/v1/agent/team-kpi?startDate=03/06/2026&endDate=${today}&size=0`, "startDate"],
    ] as const) {
      const refused = await call("GET", path, linda);
      expect([refused.status, refused.json.fields?.[0]?.field]).toEqual([400, field]);
    }
  });

  it("[A7-28] tell by GET without payload how customer service is reached", async () => {
    const { status, json } = await call("GET", "/api/v1/service-link");
    expect(status).toBe(200);
    // The demo has no contacts; service-contacts.test.ts tests the entries.
    expect(json.value).toEqual({ version: { contactKey: expect.any(String), pathList: [] } });
  });

  it("[A3-18] give in the status all of the brand's fields that the specification names", async () => {
    const { value } = (await call("GET", "/api/v1/status")).json;
    const { info, ...beside } = value;
    expect(beside).toEqual({
      location: { ip: expect.stringMatching(/^[\d.:a-f]+$/) },
      maintenance: false,
      regionRestriction: false,
    });
    const text = expect.any(String);
    expect(info).toMatchObject({
      domainRoute: text,
      mainDomain: text,
      mobileTemplate: { mem_cen: text, dep_func: text },
      register: { username: true, mobileNum: true },
    });
    // The demo has no entries; service-contacts.test.ts tests them.
    for (const list of [info.imageCDNs, info.customerService, info.resources]) {
      expect(list).toBeInstanceOf(Array);
    }
    expect(Object.values(info.paths)).toEqual(Object.keys(info.paths).map(() => text));
    expect(new Set(Object.values(info.whitelabel))).toEqual(new Set([true, false]));
  });
});

async function call(method: string, path: string, caller: Caller = VISITOR, body?: unknown) {
  const answer = await fetch(server.url + path, {
    method,
    headers:
      body === undefined
        ? caller.headers
        : { ...caller.headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = answer.headers.get("content-type") ?? "";
  return { status: answer.status, type, json: await answer.json() };
}
