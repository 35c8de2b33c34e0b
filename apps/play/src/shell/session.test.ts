import { beforeEach, describe, expect, it, vi } from "vitest";

const SESSION = {
  token: "storage-half",
  merchantCode: "perya",
  userName: "maria",
  type: 0,
  firstTimeLogin: false,
};

/** The part of a browser's window that the session store uses. */
function createBrowser() {
  type Listener = (event: object) => void;
  const listeners: { readonly type: string; readonly listener: Listener }[] = [];
  const fire = (type: string, event: object) => {
    for (const one of listeners) if (one.type === type) one.listener(event);
  };
  // As in browsers, the stored values are the storage's own fields.
  const storage = () => {
    const values: Record<string, string> = Object.create({
      getItem: (key: string) => values[key] ?? null,
      setItem: (key: string, value: string) => {
        values[key] = value;
      },
      removeItem: (key: string) => {
        delete values[key];
      },
      clear: () => {
        for (const key of Object.keys(values)) delete values[key];
      },
    });
    return values as Record<string, string> & Storage; // a session uses no more of it
  };
  return {
    localStorage: storage(),
    sessionStorage: storage(),
    addEventListener: (type: string, listener: Listener) => listeners.push({ type, listener }),
    /** Another tab wrote to local storage. */
    otherTab: (key: string | null, newValue: string | null) => fire("storage", { key, newValue }),
    /** The browser restores the page from its cache of left pages. */
    comesBack: () => fire("pageshow", { persisted: true }),
    /** After it slept in the background. */
    isLookedAt: () => fire("visibilitychange", {}),
  };
}

let browser: ReturnType<typeof createBrowser>;

function inTabWith(sessionStorage: typeof browser.sessionStorage): void {
  browser.sessionStorage = sessionStorage;
  vi.stubGlobal("sessionStorage", sessionStorage);
}

async function load() {
  vi.resetModules();
  return import("./session.ts");
}

/** Boyet logs in there, and maybe out again, or the server ends his session. */
function inAnotherTab(
  tab: Awaited<ReturnType<typeof load>>,
  how: "stays" | "leaves" | "lapses",
): void {
  const { sessionStorage } = browser;
  // A tab has its own.
  inTabWith(createBrowser().sessionStorage);
  tab.startSession({ ...SESSION, token: "newer", userName: "boyet" });
  if (how === "leaves") tab.leaveSession();
  if (how === "lapses") tab.lapseSession("newer");
  inTabWith(sessionStorage);
}

/** The server answers when the sign-out can no longer be under way. */
function answersLater(
  { leavingSince, noteAlive }: Awaited<ReturnType<typeof load>>,
  askedIn = leavingSince(),
): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  noteAlive(askedIn);
  vi.useRealTimers();
}

beforeEach(() => {
  browser = createBrowser();
  vi.stubGlobal("window", browser);
  vi.stubGlobal("localStorage", browser.localStorage);
  vi.stubGlobal("sessionStorage", browser.sessionStorage);
});

describe("the session", () => {
  it("[A3-01 A3-02 A4-01] is stored under MC_SESSION_INFO in both storages and found again at start-up", async () => {
    const first = await load();
    first.startSession(SESSION);
    const stored = JSON.stringify(SESSION);
    expect(browser.localStorage.getItem("MC_SESSION_INFO")).toBe(stored);
    expect(browser.sessionStorage.getItem("MC_SESSION_INFO")).toBe(stored);
    expect((await load()).currentSession()).toEqual(SESSION);
  });

  it.each([SESSION, { ...SESSION, type: 4, userName: "trial1" }])(
    "[A3-02 A3-04] is in the session storage of a tab that opens later too, with a trial's name ($userName)",
    async (session) => {
      (await load()).startSession(session);
      inTabWith(createBrowser().sessionStorage);
      expect((await load()).currentSession()).toEqual(session);
      const stored = JSON.stringify(session);
      expect(browser.sessionStorage.getItem("MC_SESSION_INFO")).toBe(stored);
      const trialName = session.type === 4 ? "trial1" : null;
      expect(browser.sessionStorage.getItem("trialName")).toBe(trialName);
    },
  );

  it("[A3-04 A4-03] leaves nothing but autoLogin 0 after a sign-out", async () => {
    const { startSession, leaveSession, currentSession } = await load();
    startSession({ ...SESSION, type: 4, userName: "trial1" }, { autoLogin: true });
    expect(browser.sessionStorage.getItem("trialName")).toBe("trial1");
    browser.sessionStorage.setItem("a draft", "of this player");
    browser.localStorage.setItem("MC_RECENT_SEARCHES", '["scatter"]');
    browser.localStorage.setItem("MC_STAKE:kite", "5000");
    browser.localStorage.setItem("MC_LANGUAGE", "EN");
    leaveSession();
    expect(browser.localStorage.getItem("MC_RECENT_SEARCHES")).toBeNull();
    expect(browser.localStorage.getItem("MC_STAKE:kite")).toBeNull();
    expect(browser.localStorage.getItem("MC_LANGUAGE")).toBe("EN");
    expect(currentSession()).toBeNull();
    expect(browser.localStorage.getItem("MC_SESSION_INFO")).toBeNull();
    expect(browser.sessionStorage.getItem("MC_SESSION_INFO")).toBeNull();
    expect(browser.sessionStorage.getItem("trialName")).toBeNull();
    expect(browser.sessionStorage.getItem("a draft")).toBeNull();
    expect(browser.localStorage.getItem("autoLogin")).toBe("0");
  });

  it("keeps at a sign-out what this device was shown before results, but not the player's own pairs and seeds", async () => {
    const { startSession, leaveSession } = await load();
    startSession(SESSION);
    const kept = () =>
      Object.keys(browser.localStorage).filter((key) => key.startsWith("MC_SHOWN"));
    const kinds = ["chain", "key", "flight", "fight", "draw", "fixture"];
    const ofTheDevice = kinds.map((kind) => `MC_SHOWN:${kind}`);
    for (const key of [...ofTheDevice, "MC_SHOWN:pair", "MC_SHOWN:client"]) {
      browser.localStorage.setItem(key, "[]");
    }
    leaveSession();
    expect(kept().sort()).toEqual(ofTheDevice.sort());
  });

  it("removes the player's data from other tabs when a sign-out ends it, but not when it lapses", async () => {
    const { startSession, followOtherTabs } = await load();
    startSession(SESSION);
    followOtherTabs();
    browser.sessionStorage.setItem("a draft", "of this player");
    browser.localStorage.setItem("MC_SESSION_LAPSED", SESSION.token);
    browser.otherTab("MC_SESSION_INFO", null);
    expect(browser.sessionStorage.getItem("a draft")).not.toBeNull();
    browser.localStorage.removeItem("MC_SESSION_LAPSED");
    browser.otherTab("MC_SESSION_INFO", null);
    expect(browser.sessionStorage.getItem("a draft")).toBeNull();
  });

  it.each(["here", "after a reload", "in another tab", "in another tab, before a reload here"])(
    "of another player than the one whose session lapsed finds nothing of that player but the remembered log-in (%s)",
    async (where) => {
      const tab = await load();
      tab.followOtherTabs();
      tab.startSession(SESSION);
      const kept = {
        ...{ MC_RECENT_SEARCHES: '["scatter"]', "MC_STAKE:kite": "5000" },
        ...{ "MC_SHOWN:pair": "[]", "MC_SHOWN:client": "[]" },
      };
      const remembered = JSON.stringify({
        type: "username",
        username: "maria",
        password: "sealed",
      });
      Object.assign(browser.localStorage, kept, { MC_LANGUAGE: "EN" });
      browser.localStorage.setItem("MC_REMEMBERED_LOGIN", remembered);
      browser.sessionStorage.setItem("a draft", "of this player");
      tab.lapseSession(SESSION.token);
      expect({ ...browser.localStorage }).toMatchObject(kept);
      const boyet = { ...SESSION, token: "newer", userName: "boyet" };
      if (where === "here") tab.startSession(boyet);
      else if (where === "after a reload") (await load()).startSession(boyet);
      else {
        inAnotherTab(await load(), "stays");
        if (where === "in another tab") {
          browser.otherTab("MC_SESSION_INFO", JSON.stringify(boyet));
        } else expect((await load()).currentSession()).toEqual(boyet);
      }
      for (const key of Object.keys(kept)) expect(browser.localStorage.getItem(key)).toBeNull();
      expect(browser.localStorage.getItem("MC_LANGUAGE")).toBe("EN");
      expect(browser.localStorage.getItem("MC_REMEMBERED_LOGIN")).toBe(remembered);
      expect(browser.sessionStorage.getItem("a draft")).toBeNull();
      expect(JSON.stringify([browser.localStorage, browser.sessionStorage])).not.toContain(
        "scatter",
      );
    },
  );

  it("that an earlier build began also leaves another player nothing after a lapse", async () => {
    (await load()).startSession(SESSION);
    browser.localStorage.removeItem("MC_LAST_PLAYER");
    browser.sessionStorage.removeItem("MC_LAST_PLAYER");
    browser.localStorage.setItem("MC_RECENT_SEARCHES", '["scatter"]');
    const tab = await load();
    tab.lapseSession(SESSION.token);
    tab.startSession({ ...SESSION, token: "newer", userName: "boyet" });
    expect(browser.localStorage.getItem("MC_RECENT_SEARCHES")).toBeNull();
  });

  it("of the same player after a lapse finds the stored data, and a visitor's data passes to the player who logs in", async () => {
    const tab = await load();
    browser.localStorage.setItem("MC_RECENT_SEARCHES", '["scatter"]');
    tab.startSession(SESSION);
    browser.sessionStorage.setItem("a draft", "of this player");
    tab.lapseSession(SESSION.token);
    (await load()).startSession({ ...SESSION, token: "again" });
    expect(browser.localStorage.getItem("MC_RECENT_SEARCHES")).toBe('["scatter"]');
    expect(browser.sessionStorage.getItem("a draft")).toBe("of this player");
  });

  it("[A4-02] exists exactly where a token exists", async () => {
    const without = ["", null, undefined, 7].map((token) => JSON.stringify({ ...SESSION, token }));
    for (const stored of [...without, "{}", "{not json"]) {
      browser.localStorage.setItem("MC_SESSION_INFO", stored);
      expect((await load()).currentSession(), stored).toBeNull();
    }
    browser.localStorage.removeItem("MC_SESSION_INFO");
    expect((await load()).currentSession()).toBeNull();
    browser.localStorage.setItem("MC_SESSION_INFO", JSON.stringify(SESSION));
    expect((await load()).currentSession()?.token).toBe(SESSION.token);
  });

  it("of another brand than the page's is dropped at the start", async () => {
    (await load()).startSession(SESSION);
    const { keepSessionOf, currentSession } = await load();
    keepSessionOf("perya");
    expect(currentSession()).toEqual(SESSION);
    keepSessionOf("another");
    expect(currentSession()).toBeNull();
    expect(browser.localStorage.getItem("MC_SESSION_INFO")).toBeNull();
  });

  it("may start again automatically only where the log-in was remembered and the session did not end", async () => {
    const { startSession, leaveSession, lapseSession, wantsAutoLogin } = await load();
    startSession(SESSION);
    expect(wantsAutoLogin()).toBe(false);
    startSession(SESSION, { autoLogin: true });
    expect(browser.localStorage.getItem("autoLogin")).toBe("1");
    leaveSession();
    expect(wantsAutoLogin()).toBe(false);
    startSession(SESSION, { autoLogin: true });
    lapseSession(SESSION.token);
    expect(browser.localStorage.getItem("autoLogin")).toBe("0");
    expect((await load()).wantsAutoLogin()).toBe(false);
  });

  it("lapses only by its own token, not by a replaced one", async () => {
    const { startSession, lapseSession, useSession } = await load();
    startSession(SESSION);
    expect(lapseSession("an older token")).toBe(false);
    expect(useSession.getState().session).toEqual(SESSION);
    expect(lapseSession("storage-half")).toBe(true);
    expect(useSession.getState()).toMatchObject({ session: null, lapsed: true });
  });

  it("[A3-02] follows the log-in and the sign-out of another tab, in its own storage too", async () => {
    const { followOtherTabs, currentSession } = await load();
    followOtherTabs();
    browser.otherTab("MC_SESSION_INFO", JSON.stringify(SESSION));
    expect(currentSession()).toEqual(SESSION);
    expect(browser.sessionStorage.getItem("MC_SESSION_INFO")).toBe(JSON.stringify(SESSION));
    browser.otherTab("something else", null);
    expect(currentSession()).toEqual(SESSION);
    browser.otherTab("MC_SESSION_INFO", null);
    expect(currentSession()).toBeNull();
    expect(browser.sessionStorage.getItem("MC_SESSION_INFO")).toBeNull();
  });

  it("that another tab signs out while this page starts has ended by the time this page follows other tabs", async () => {
    (await load()).startSession(SESSION);
    const { currentSession, followOtherTabs } = await load();
    (await load()).leaveSession();
    expect(currentSession()).toEqual(SESSION);
    followOtherTabs();
    expect(currentSession()).toBeNull();
  });

  it("lapses in every tab together, and is signed out in every tab together", async () => {
    const { followOtherTabs, startSession, useSession } = await load();
    followOtherTabs();
    // The other tab of the same browser, with the same storage.
    const other = await load();
    const inBothTabs = () => {
      other.startSession(SESSION);
      startSession(SESSION);
    };
    inBothTabs();
    other.lapseSession(SESSION.token);
    browser.otherTab("MC_SESSION_INFO", null);
    expect(useSession.getState()).toMatchObject({ session: null, lapsed: true });
    inBothTabs();
    other.leaveSession();
    browser.otherTab("MC_SESSION_INFO", null);
    expect(useSession.getState()).toMatchObject({ session: null, lapsed: false });
  });

  it("of another tab is adopted by a page that missed its start, and goes on in every tab", async () => {
    const { followOtherTabs, lapseSession, startSession, useSession } = await load();
    followOtherTabs();
    const boyet = { ...SESSION, token: "newer", userName: "boyet" };
    const inStorage = () => browser.localStorage.getItem("MC_SESSION_INFO");
    const wakes = [browser.comesBack, browser.isLookedAt, () => lapseSession(SESSION.token)];
    for (const wake of wakes) {
      startSession(SESSION, { autoLogin: true });
      browser.localStorage.setItem("MC_SESSION_INFO", JSON.stringify(boyet));
      expect(wake()).not.toBe(true);
      expect(useSession.getState()).toEqual({ session: boyet, lapsed: false });
      expect(inStorage()).toBe(JSON.stringify(boyet));
      expect(browser.localStorage.getItem("autoLogin")).toBe("1");
    }
  });

  it("that another tab signed out has ended, not lapsed, for a page that missed the sign-out", async () => {
    const { followOtherTabs, lapseSession, startSession, useSession } = await load();
    followOtherTabs();
    const wakes = [browser.comesBack, browser.isLookedAt, () => lapseSession(SESSION.token)];
    for (const wake of wakes) {
      startSession(SESSION);
      browser.sessionStorage.setItem("a draft", "of this player");
      (await load()).leaveSession();
      browser.sessionStorage.setItem("a draft", "of this player");
      expect(wake()).not.toBe(true);
      expect(useSession.getState()).toEqual({ session: null, lapsed: false });
      expect({ ...browser.sessionStorage }).toEqual({});
    }
  });

  it("[A4-03] that its player signs out does not lapse, even if this page hears of its end before the reply", async () => {
    const { beginLeaving, lapseSession, leaveSession, startSession, useSession } = await load();
    startSession(SESSION);
    const over = beginLeaving(SESSION.token);
    expect(lapseSession(SESSION.token)).toBe(false);
    await over;
    // Until the sign-out has gone home.
    expect(useSession.getState()).toEqual({ session: SESSION, lapsed: false });
    leaveSession();
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
    expect({ ...browser.localStorage }).toEqual({ autoLogin: "0" });
  });

  it("[A4-03] that its player signs out counts as signed out in another tab that hears of its end first, and in the tab that asked", async () => {
    const { beginLeaving, followOtherTabs, leaveSession, startSession, useSession } = await load();
    followOtherTabs();
    startSession(SESSION);
    const over = beginLeaving(SESSION.token);
    const other = await load();
    expect(other.lapseSession(SESSION.token)).toBe(false);
    expect(other.useSession.getState()).toEqual({ session: null, lapsed: false });
    browser.otherTab("MC_SESSION_INFO", null);
    await over;
    leaveSession();
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
    expect({ ...browser.localStorage }).toEqual({ autoLogin: "0" });
  });

  it("that is being signed out lapses in no tab, whichever write to storage that tab sees in between", async () => {
    const { beginLeaving, leaveSession, startSession } = await load();
    const ways = ["setItem", "removeItem"] as const;
    const own = {
      setItem: browser.localStorage.setItem,
      removeItem: browser.localStorage.removeItem,
    };
    let writes = 0;
    for (let hears = 1; writes === 0 || hears <= writes; hears++) {
      startSession(SESSION, { autoLogin: true });
      const other = await load();
      writes = 0;
      void beginLeaving(SESSION.token);
      for (const way of ways) {
        const value = (...given: [string, string]) => {
          own[way](...given);
          if (++writes === hears) other.lapseSession(SESSION.token);
        };
        Object.defineProperty(browser.localStorage, way, { value, configurable: true });
      }
      leaveSession();
      for (const way of ways) Reflect.deleteProperty(browser.localStorage, way);
      expect(other.useSession.getState(), `${hears}`).toEqual({ session: null, lapsed: false });
      expect(browser.localStorage.getItem("MC_SESSION_LAPSED"), `${hears}`).toBeNull();
    }
    expect(writes).toBeGreaterThan(2);
  });

  it("that the server kept at a sign-out goes on, and its later end is a lapse in every tab", async () => {
    const { beginLeaving, currentSession, lapseSession, startSession, stay } = await load();
    startSession(SESSION);
    const other = await load();
    void beginLeaving(SESSION.token);
    stay();
    expect(currentSession()).toEqual(SESSION);
    expect(other.lapseSession(SESSION.token)).toBe(true);
    startSession(SESSION);
    expect(lapseSession(SESSION.token)).toBe(true);
  });

  it("whose sign-out had no answer is signed out if it turns out to have ended, and lapses later if the server kept it", async () => {
    const tab = await load();
    const { beginLeaving, doubtLeaving, lapseSession, leavingSince, noteAlive, startSession } = tab;
    const left = vi.fn();
    for (const alive of [false, true]) {
      startSession(SESSION);
      const before = leavingSince();
      void beginLeaving(SESSION.token);
      doubtLeaving(left);
      // Answers to calls from before prove nothing, however late, and neither do immediate answers.
      answersLater(tab, before);
      noteAlive(leavingSince());
      if (alive) answersLater(tab);
      expect(lapseSession(SESSION.token)).toBe(alive);
      expect(left).toHaveBeenCalledOnce();
    }
  });

  it("whose page closed during a sign-out is judged the same by the next page", async () => {
    for (const alive of [false, true]) {
      const before = await load();
      before.startSession(SESSION);
      void before.beginLeaving(SESSION.token);
      const remembered = { type: "username", username: "maria", password: "sealed" };
      browser.localStorage.setItem("MC_REMEMBERED_LOGIN", JSON.stringify(remembered));
      const page = await load();
      const { currentSession, lapseSession } = page;
      expect(currentSession()).toEqual(SESSION);
      if (alive) answersLater(page);
      expect(lapseSession(SESSION.token)).toBe(alive);
      expect(currentSession()).toBeNull();
      // A sign-out deletes the sealed password.
      const kept = JSON.parse(browser.localStorage.getItem("MC_REMEMBERED_LOGIN") ?? "");
      expect(kept).toEqual({ ...remembered, password: alive ? "sealed" : "" });
    }
  });

  it("whose sign-out failed in a closed tab lapses later in the tabs that were answered since", async () => {
    const tab = await load();
    tab.startSession(SESSION);
    const gone = await load();
    void gone.beginLeaving(SESSION.token);
    answersLater(tab);
    expect(tab.lapseSession(SESSION.token)).toBe(true);
  });

  it("whose sign-out failed lapses later in the asking tab too, once another tab was answered", async () => {
    const tab = await load();
    tab.followOtherTabs();
    tab.startSession(SESSION);
    const other = await load();
    void tab.beginLeaving(SESSION.token);
    const left = vi.fn();
    tab.doubtLeaving(left);
    answersLater(other);
    browser.otherTab("MC_SESSION_LEAVING", null);
    expect(tab.lapseSession(SESSION.token)).toBe(true);
    expect(left).not.toHaveBeenCalled();
  });

  it("that lapsed here is signed out here too once another tab signs it out", async () => {
    const { followOtherTabs, lapseSession, startSession, useSession } = await load();
    followOtherTabs();
    startSession(SESSION);
    const other = await load();
    lapseSession(SESSION.token);
    expect(useSession.getState()).toEqual({ session: null, lapsed: true });
    other.leaveSession();
    browser.otherTab("MC_SESSION_LAPSED", null);
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
  });

  it("[A4-03] that is signed out in another tab is signed out here too, even if this page hears of its end before the sign-out", async () => {
    browser.localStorage.setItem("MC_SESSION_INFO", JSON.stringify(SESSION));
    const { followOtherTabs, lapseSession, useSession } = await load();
    followOtherTabs();
    browser.sessionStorage.setItem("a draft", "of this player");
    expect(lapseSession(SESSION.token)).toBe(true);
    // The other tab's earlier writes arrive now, in their order.
    const word = JSON.stringify({ token: SESSION.token, at: Date.now() });
    browser.localStorage.setItem("MC_SESSION_LEAVING", word);
    browser.otherTab("MC_SESSION_LEAVING", word);
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
    expect(browser.localStorage.getItem("MC_SESSION_LAPSED")).toBeNull();
    expect(browser.sessionStorage.getItem("a draft")).toBeNull();
    browser.otherTab("MC_SESSION_INFO", null);
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
  });

  it("that lapsed leaves its page as it was, until another player's session began and was signed out unheard", async () => {
    const { followOtherTabs, lapseSession, startSession, useSession } = await load();
    followOtherTabs();
    startSession(SESSION);
    lapseSession(SESSION.token);
    browser.sessionStorage.setItem("a draft", "of this player");
    browser.comesBack();
    expect(useSession.getState()).toEqual({ session: null, lapsed: true });
    expect(browser.sessionStorage.getItem("a draft")).not.toBeNull();
    inAnotherTab(await load(), "leaves");
    browser.comesBack();
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
    expect(browser.sessionStorage.getItem("a draft")).toBeNull();
  });

  it.each(["leaves", "lapses", "stays"] as const)(
    "of a player who left the tab to pay is not found again by the next player, whose own session %s",
    async (how) => {
      (await load()).startSession(SESSION);
      const tab = { ...browser.sessionStorage, "a draft": "of this player" };
      const other = await load();
      other.leaveSession();
      inAnotherTab(other, how);
      browser.sessionStorage.clear();
      Object.assign(browser.sessionStorage, tab);
      expect((await load()).currentSession()?.userName).toBe(how === "stays" ? "boyet" : undefined);
      expect(browser.sessionStorage.getItem("a draft")).toBeNull();
    },
  );

  it("that lapsed while its tab was elsewhere to pay is found unchanged, for the server to end", async () => {
    (await load()).startSession(SESSION);
    const tab = { ...browser.sessionStorage, "a draft": "of this player" };
    (await load()).lapseSession(SESSION.token);
    Object.assign(browser.sessionStorage, tab);
    const { currentSession, lapseSession } = await load();
    expect(currentSession()).toEqual(SESSION);
    expect(lapseSession(SESSION.token)).toBe(true);
    expect(browser.sessionStorage.getItem("a draft")).not.toBeNull();
  });

  it("that local storage refuses lasts as long as its tab", async () => {
    browser.localStorage.setItem = () => {
      throw new Error("full");
    };
    const { followOtherTabs, startSession, currentSession } = await load();
    followOtherTabs();
    startSession(SESSION);
    browser.comesBack();
    expect(currentSession()).toEqual(SESSION);
    expect((await load()).currentSession()).toEqual(SESSION);
  });

  it("is replaced only by another one, which may have begun in another tab", async () => {
    const { isReplaced, lapseSession, startSession, currentSession } = await load();
    startSession(SESSION);
    expect(isReplaced(SESSION.token)).toBe(false);
    lapseSession(SESSION.token);
    expect(isReplaced(SESSION.token)).toBe(false);
    inAnotherTab(await load(), "stays");
    expect(isReplaced(SESSION.token)).toBe(true);
    expect(currentSession()?.userName).toBe("boyet");
  });
});
