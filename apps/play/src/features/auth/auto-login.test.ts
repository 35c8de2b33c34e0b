import { refusalsOf } from "@perya/contract/call-refusals";
import { calls as declared } from "@perya/contract/calls";
import { REFUSALS, type RefusalCode } from "@perya/contract/refusal";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RememberedLogin } from "./remembered-login.ts";

vi.mock("../../shell/server.ts", () => ({ api: { serverNow: () => Date.now() } }));

const SESSION = {
  token: "half",
  merchantCode: "perya",
  userName: "maria",
  type: 0,
  firstTimeLogin: false,
};
const LOGIN: RememberedLogin = {
  type: "username",
  username: "maria",
  password: "Fiesta2026",
  countryDialingCode: "+63",
};

let local: Map<string, string>;

beforeEach(() => {
  local = new Map();
  const storage = (values: Map<string, string>) => ({
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  });
  vi.stubGlobal("localStorage", storage(local));
  vi.stubGlobal("sessionStorage", storage(new Map()));
  vi.resetModules();
});

async function start(remembered: RememberedLogin | null, answer: () => unknown) {
  const calls: unknown[] = [];
  const { autoLogin } = await import("./auto-login.ts");
  const { currentSession } = await import("../../shell/session.ts");
  const { heldPassword } = await import("./held-password.ts");
  const call = async (...given: unknown[]): Promise<unknown> => {
    calls.push(given);
    return answer();
  };
  // The fake network answers every call.
  await autoLogin({ call } as never, { read: async () => remembered });
  return { calls, session: currentSession(), held: heldPassword() };
}

describe("the automatic log-in at start-up", () => {
  it("opens a session from the remembered log-in, and holds no password, because nobody typed one", async () => {
    const { session, held } = await start(LOGIN, () => SESSION);
    expect(session).toEqual(SESSION);
    expect(held).toBeNull();
    expect(local.get("autoLogin")).toBe("1");
  });

  it("calls nothing where no password is remembered", async () => {
    const { calls } = await start({ ...LOGIN, password: "" }, () => SESSION);
    const sms = await start({ ...LOGIN, type: "sms" }, () => SESSION);
    expect([...calls, ...sms.calls]).toEqual([]);
  });

  it("is not tried again after a wrong password, but is after a network failure", async () => {
    // From the modules as this test loaded them.
    const { ApiRefusal, NetworkFailure } = await import("@perya/client/refused");
    local.set("autoLogin", "1");
    const lost = await start(LOGIN, () => {
      throw new NetworkFailure(false);
    });
    expect([lost.session, local.get("autoLogin")]).toEqual([null, "1"]);
    const { session } = await start(LOGIN, () => {
      throw new ApiRefusal({
        type: "about:blank",
        code: "login_failed",
        status: 401,
        title: "",
        detail: "",
        requestId: "",
      });
    });
    expect([session, local.get("autoLogin")]).toEqual([null, "0"]);
  });

  it("is tried again after a refusal that did not judge the password, and never after one that did", async () => {
    const { ApiRefusal } = await import("@perya/client/refused");
    const kept = async (code: RefusalCode) => {
      local.set("autoLogin", "1");
      const { session } = await start(LOGIN, () => {
        throw new ApiRefusal({
          ...{ type: "about:blank", code, status: REFUSALS[code] },
          ...{ title: "", detail: "", requestId: "" },
        });
      });
      expect(session, code).toBeNull();
      return local.get("autoLogin") === "1";
    };
    const answers = refusalsOf("POST /api/v1/auth/login", declared["POST /api/v1/auth/login"]);
    const again: RefusalCode[] = [];
    for (const code of answers) if (await kept(code)) again.push(code);
    expect(answers.filter((code) => !again.includes(code)).sort()).toEqual([
      "invalid_input",
      "login_failed",
      "not_agent_account",
      "not_member_account",
    ]);
    expect(again).toEqual(
      expect.arrayContaining(["busy", "internal", "rate_limited", "maintenance", "captcha_wrong"]),
    );
  });

  it("leaves the session of a player who logs in by hand meanwhile, and what that player asked for", async () => {
    const { ApiRefusal } = await import("@perya/client/refused");
    const boyet = { ...SESSION, token: "newer", userName: "boyet" };
    for (const how of ["answered", "refused"]) {
      const { session, held, calls } = await start(LOGIN, async () => {
        const { startSession } = await import("../../shell/session.ts");
        startSession(boyet, { autoLogin: true });
        if (how === "answered") return SESSION;
        throw new ApiRefusal({
          ...{ type: "about:blank", code: "login_failed", status: 401 },
          ...{ title: "", detail: "", requestId: "" },
        });
      });
      expect([session, held, local.get("autoLogin")], how).toEqual([boyet, null, "1"]);
      // Its cookie must not replace the other's.
      expect(calls).toMatchObject([[expect.anything(), { signal: { aborted: true } }]]);
      vi.resetModules();
      local.clear();
    }
  });

  it("does not begin where a player has logged in by hand already", async () => {
    const boyet = { ...SESSION, token: "newer", userName: "boyet" };
    const { autoLogin } = await import("./auto-login.ts");
    const { currentSession, startSession } = await import("../../shell/session.ts");
    const call = vi.fn(async () => SESSION);
    const read = async () => {
      startSession(boyet);
      return LOGIN;
    };
    await autoLogin({ call } as never, { read });
    expect(call).not.toHaveBeenCalled();
    expect(currentSession()).toEqual(boyet);
  });

  it("leaves a visitor where a second factor is required", async () => {
    const { session } = await start(LOGIN, () => ({ secondFactor: true, pending: "x" }));
    expect(session).toBeNull();
  });
});
