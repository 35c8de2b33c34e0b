// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { connect } from "./connect.ts";
import { faultText } from "./faults.ts";
import { OWN_KEY } from "./own-key.ts";
import { NetworkFailure } from "./refused.ts";
import { createSession } from "./session.ts";
import type { AnySession } from "./stored-session.ts";
import { createTexts } from "./texts.ts";

/** An app at the same address as the player's has its own names in storage. */
const KEYS = {
  session: "OFFICE_SESSION",
  autoLogin: "OFFICE_AUTO_LOGIN",
  lapsed: "OFFICE_LAPSED",
  leaving: "OFFICE_LEAVING",
  lastPlayer: "OFFICE_LAST_OPERATOR",
};
const REY: AnySession = { token: "office-half", merchantCode: "perya", userName: "rey" };

let answer: { readonly status: number; readonly body: object };
let sent: { readonly path: string; readonly headers: Record<string, string> }[];
let lapses: number;

beforeEach(() => {
  [sent, lapses] = [[], 0];
  answer = { status: 200, body: { value: 7 } };
  vi.stubGlobal("fetch", async (path: string, { headers }: { headers: Record<string, string> }) => {
    sent.push({ path, headers });
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});

function openOffice() {
  const session = createSession<AnySession>({
    keys: KEYS,
    isSession: (value): value is AnySession =>
      typeof value === "object" && value !== null && "token" in value && "userName" in value,
    ofTheDevice: ["MC_SESSION_INFO"],
    forgetPerson: () => undefined,
    noteInTab: () => undefined,
    now: () => 0,
  });
  const english = {
    tag: "en",
    load: async () => ({ default: { "office.title": "Deposits", "error.offline": "No internet" } }),
    later: { reports: async () => ({ default: { "office.report": "Report" } }) },
  };
  const texts = createTexts<"office.title" | "office.report" | "error.offline", "reports">({
    catalogues: { EN: english },
    fallback: english,
    initial: { language: "EN", tag: "en" },
    storageKey: "OFFICE_LANGUAGE",
    findOther: async () => undefined,
  });
  const line = connect({
    session,
    getLanguage: texts.currentLanguage,
    isStandalone: () => false,
    onFault: () => undefined,
    onLapse: () => {
      lapses += 1;
    },
  });
  return { session, texts, ...line };
}

it("a second app calls under its own session, and its sign-out leaves the player's session", async () => {
  localStorage.setItem("MC_SESSION_INFO", "the player's");
  const { session, api } = openOffice();
  session.startSession(REY);
  await api.call("GET /api/v1/inbox/unread");
  expect(sent[0]).toMatchObject({
    path: "/api/v1/inbox/unread",
    headers: { authorization: "Bearer office-half", "x-language": "EN" },
  });
  expect(openOffice().session.currentSession()).toEqual(REY);
  session.leaveSession();
  expect(localStorage.getItem("OFFICE_SESSION")).toBeNull();
  expect(localStorage.getItem("MC_SESSION_INFO")).toBe("the player's");
});

it("a session that the server ends lapses once, and its rows stay until another player's session begins", async () => {
  const { session, api, queryClient } = openOffice();
  session.startSession(REY);
  queryClient.setQueryData([OWN_KEY, "row"], "rey's");
  answer = { status: 401, body: { code: "session_ended", detail: "Log in again." } };
  await expect(api.call("GET /api/v1/inbox/unread")).rejects.toThrow("Log in again.");
  await expect(api.call("GET /api/v1/inbox/unread")).rejects.toThrow();
  expect([session.useSession.getState(), lapses]).toEqual([{ session: null, lapsed: true }, 1]);
  expect(queryClient.getQueryData([OWN_KEY, "row"])).toBe("rey's");
  session.startSession({ ...REY, token: "other-half", userName: "ana" });
  expect(queryClient.getQueryData([OWN_KEY, "row"])).toBeUndefined();
});

it("a second app shows its own texts, including those that load later", async () => {
  const { textOf, switchLanguage, withTexts, storedLanguage } = openOffice().texts;
  await switchLanguage("EN");
  expect([textOf("office.title"), storedLanguage()]).toEqual(["Deposits", "EN"]);
  await withTexts("reports", Promise.resolve({}));
  expect(textOf("office.report")).toBe("Report");
  // An unknown code shows the initial language.
  await switchLanguage("XX");
  expect([textOf("office.title"), storedLanguage()]).toEqual(["Deposits", "EN"]);
  vi.stubGlobal("navigator", { onLine: false });
  const told = faultText(new NetworkFailure(false), (id) => textOf(id as "error.offline"));
  expect(told).toBe("No internet");
});
