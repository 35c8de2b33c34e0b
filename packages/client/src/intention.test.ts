import { OUTCOMES, REFUSALS, type RefusalCode } from "@perya/contract/refusal";
import { describe, expect, it } from "vitest";
import {
  askUntilDefinite,
  dropIntention,
  isWished,
  keepIntention,
  markAnswered,
  REQUEST_LIFE_MS,
  readIntention,
  slotOf,
} from "./intention.ts";
import { leaveTab } from "./kept-intentions.ts";
import { ApiRefusal, EndUnknown, NetworkFailure, NotSent, SessionChanged } from "./refused.ts";

const LOST = new NetworkFailure(false);

function refused(code: RefusalCode): ApiRefusal {
  const status = REFUSALS[code];
  return new ApiRefusal({ type: code, code, status, title: "", detail: "Hindi.", requestId: "r" });
}

const CHANGED = new SessionChanged();

/**
 * Answers one after another; the last one repeats. Time passes only in pauses.
 * @param setByMs the jump of the clock in the first pause, besides the pause
 */
async function asked(answers: readonly unknown[], lostAt: number | null = null, setByMs = 0) {
  let nowMs = 10_000_000;
  let tries = 0;
  const doubts: unknown[] = [];
  const pauses: number[] = [];
  const ended = await askUntilDefinite(
    async () => {
      const answer = answers[Math.min(tries++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    {
      now: () => nowMs,
      pause: async (ms) => {
        nowMs += pauses.length === 0 ? ms + setByMs : ms;
        pauses.push(ms);
      },
      onDoubt: (error) => doubts.push(error),
      signal: new AbortController().signal,
      lostAt: lostAt === null ? null : nowMs + lostAt,
    },
  ).catch((error: unknown) => error);
  const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
  return { ended, tries, doubts, pauses, waitedMs };
}

describe("the contract's outcome of a command", () => {
  it("is given for every refusal, and only a failure of the house leaves it open", () => {
    expect(Object.keys(OUTCOMES).sort()).toEqual(Object.keys(REFUSALS).sort());
    const open = Object.entries(OUTCOMES).filter(([, outcome]) => outcome === "unknown");
    expect(open.map(([code]) => code).sort()).toEqual(
      ["busy", "internal", "message_unavailable", "provider_unavailable"].sort(),
    );
  });
});

describe("asking until the outcome is known", () => {
  it("returns the first attempt's result, and does not ask again", async () => {
    expect(await asked(["done"])).toMatchObject({ ended: "done", tries: 1, doubts: [] });
  });

  it.each(["busy", "internal", "provider_unavailable"] as const)(
    "asks again after %s, because it may have happened all the same",
    async (code) => {
      expect(await asked([refused(code), "done"])).toMatchObject({ ended: "done", tries: 2 });
    },
  );

  it("asks again after a new session blocked an attempt, and keeps an earlier doubt", async () => {
    expect(await asked([CHANGED, "done"])).toMatchObject({ ended: "done", tries: 2 });
    const told = await asked([LOST, CHANGED, refused("bets_closed")]);
    expect(told.waitedMs).toBeGreaterThanOrEqual(REQUEST_LIFE_MS);
  });

  it("has no doubt about an attempt that was never sent, and keeps an earlier doubt", async () => {
    const unsent = new NotSent(true);
    expect(await asked([unsent])).toMatchObject({ ended: unsent, tries: 1, doubts: [] });
    expect(await asked([LOST, unsent, "done"])).toMatchObject({ ended: "done", tries: 3 });
    expect(await asked([unsent, "done"], -60_000)).toMatchObject({ ended: "done", tries: 2 });
    // By then the lost request can no longer be running, however recent an unsent attempt was.
    const no = refused("bets_closed");
    expect(await asked([unsent, no], -REQUEST_LIFE_MS)).toMatchObject({ ended: no, tries: 2 });
  });

  it("asks again, ever more slowly, for as long as no answer comes", async () => {
    const { ended, pauses } = await asked([...Array(9).fill(LOST), "done"]);
    expect(ended).toBe("done");
    expect(pauses).toEqual([600, 1_800, 4_000, 8_000, 8_000, 15_000, 30_000, 30_000, 30_000]);
  });

  it("believes a refusal at once where nothing was open", async () => {
    for (const code of ["insufficient_funds", "rate_limited", "maintenance"] as const) {
      const no = refused(code);
      expect(await asked([no])).toMatchObject({ ended: no, tries: 1, doubts: [] });
    }
  });

  it("does not take a refusal at admission for an answer to the earlier request", async () => {
    const answers = [refused("busy"), refused("rate_limited"), refused("maintenance"), "done"];
    expect(await asked(answers)).toMatchObject({ ended: "done", tries: 4 });
    expect(await asked([refused("session_ended"), "done"], -60_000)).toMatchObject({
      ended: "done",
    });
  });

  it("believes a refusal of a repeat only when the lost request can no longer be running", async () => {
    const no = refused("bets_closed");
    const told = await asked([LOST, no]);
    expect(told.ended).toBe(no);
    expect(told.waitedMs).toBeGreaterThanOrEqual(REQUEST_LIFE_MS);
    expect(await asked([LOST, no, "done"])).toMatchObject({ ended: "done", tries: 3 });
    expect((await asked([no], -100)).waitedMs).toBeGreaterThanOrEqual(REQUEST_LIFE_MS - 100);
    expect(await asked([no], -REQUEST_LIFE_MS)).toMatchObject({ ended: no, tries: 1 });
  });

  it("waits no longer than a request lives where the phone's clock is set back meanwhile", async () => {
    const no = refused("bets_closed");
    const anHour = 3_600_000;
    const resumed = await asked([no], anHour);
    expect(resumed.ended).toBe(no);
    expect(resumed.waitedMs).toBeGreaterThanOrEqual(REQUEST_LIFE_MS);
    expect(resumed.waitedMs).toBeLessThan(2 * REQUEST_LIFE_MS);
    const inDoubt = await asked([LOST, no], null, -anHour);
    expect(inDoubt.ended).toBe(no);
    expect(inDoubt.waitedMs).toBeGreaterThanOrEqual(REQUEST_LIFE_MS);
    expect(inDoubt.waitedMs).toBeLessThan(2 * REQUEST_LIFE_MS);
  });

  it("sends no repeat for a press of long ago, and does not say that nothing happened", async () => {
    const aNight = 9 * 3_600_000;
    const asleep = await asked([LOST, "done"], null, aNight);
    expect(asleep).toMatchObject({ ended: expect.any(EndUnknown), tries: 1 });
    const waited = await asked([LOST]);
    expect(waited.ended).toBeInstanceOf(EndUnknown);
    expect(waited.waitedMs).toBeGreaterThan(9 * 60_000);
    expect(waited.waitedMs).toBeLessThan(11 * 60_000);
  });

  it("treats a press as a wish for ten minutes, and not a moment longer", () => {
    const pressedAt = 5_000;
    expect(isWished(pressedAt, pressedAt + 599_999)).toBe(true);
    expect(isWished(pressedAt, pressedAt + 600_000)).toBe(false);
    expect(isWished(pressedAt, pressedAt - 3_600_000)).toBe(true);
  });

  it("believes a refusal at once after an answer that says that the request is over", async () => {
    const no = refused("insufficient_funds");
    expect(await asked([refused("busy"), no])).toMatchObject({ ended: no, tries: 2 });
  });

  it("ends without an outcome when the screen is left", async () => {
    const stop = new AbortController();
    const asking = askUntilDefinite(
      async () => {
        throw LOST;
      },
      {
        now: () => 0,
        pause: async () => stop.abort(),
        onDoubt: () => undefined,
        signal: stop.signal,
        lostAt: null,
      },
    );
    const ended = await asking.catch((error: unknown) => error);
    expect(ended).toBe(stop.signal.reason);
  });
});

describe("a tab's record of an intention", () => {
  it("belongs to one account and one purpose, and names neither", () => {
    const slots = [slotOf("maria", "a"), slotOf("jun", "a"), slotOf("maria", "b")];
    expect(new Set(slots).size).toBe(3);
    expect(slotOf("Maria", "a")).toBe(slots[0]);
    for (const slot of slots) expect(slot).not.toMatch(/maria|jun/);
  });

  it("is deleted under its own id only", () => {
    const store = memory();
    keepIntention(store, "slot", { id: "second", sentAt: 1 });
    dropIntention(store, "slot", "first");
    expect(readIntention(store, "slot")?.id).toBe("second");
    dropIntention(store, "slot", "second");
    expect(readIntention(store, "slot")).toBeNull();
    // Twice is the same as once.
    dropIntention(store, "slot", "second");
    expect(readIntention(store, "slot")).toBeNull();
  });

  it("does not exist where the storage holds something else", () => {
    const store = memory();
    for (const text of ["", "{", "1", "null", '{"id":1}', '{"id":"a"}']) {
      store.setItem("slot", text);
      expect(readIntention(store, "slot")).toBeNull();
    }
  });

  it("is marked as answered under its own id only, and only while it exists", () => {
    const store = memory();
    markAnswered(store, "slot", "first");
    expect(readIntention(store, "slot")).toBeNull();
    keepIntention(store, "slot", { id: "second", sentAt: 1, content: "words" });
    markAnswered(store, "slot", "first");
    expect(readIntention(store, "slot")?.answered).toBeUndefined();
    markAnswered(store, "slot", "second");
    expect(readIntention(store, "slot")).toEqual({
      ...{ id: "second", sentAt: 1, content: "words", answered: true },
    });
  });

  it("is deleted at a sign-out where the storage holds something else", () => {
    const store = memory();
    const broken = ["", "{", "1", "null", '{"id":1,"sentAt":1}', '{"id":"a","sentAt":"1"}', "{}"];
    for (const [i, text] of broken.entries()) store.setItem(slotOf("maria", `${i}`), text);
    store.setItem("MC_OTHER", JSON.stringify({ id: "a", sentAt: 1 }));
    leaveTab(store);
    expect({ ...store }).toEqual({});
  });

  it("keeps after a sign-out only the id of a command whose end is unknown", () => {
    const store = memory();
    const content = { destination: "09171234567", amount: { minor: "50000" } };
    const [open, told] = [slotOf("maria", "open"), slotOf("maria", "told")];
    keepIntention(store, open, { id: "wdr_1", sentAt: 7, content });
    keepIntention(store, told, { id: "rnd_1", sentAt: 7, content, answered: true });
    store.setItem("MC_SESSION_INFO", "maria");
    leaveTab(store);
    expect({ ...store }).toEqual({ [open]: JSON.stringify({ id: "wdr_1", sentAt: 7 }) });
  });
});

/** As in a browser, the stored values are its own fields. */
function memory(): Storage {
  const methods = {
    getItem: (key: string) => (Object.hasOwn(store, key) ? String(store[key]) : null),
    setItem: (key: string, value: string) => {
      store[key] = value;
    },
    removeItem: (key: string) => {
      delete store[key];
    },
    clear: () => {
      for (const key of Object.keys(store)) delete store[key];
    },
    key: (index: number) => Object.keys(store)[index] ?? null,
    length: 0,
  };
  const store: Storage = Object.create(methods);
  return store;
}
