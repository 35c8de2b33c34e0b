/// <reference path="./css-modules.d.ts" />
import { toast as sonner } from "sonner";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cappedCount } from "./badge.tsx";
import { buttonClass } from "./button.tsx";
import { joinErrors } from "./field.tsx";
import { moneyLabel } from "./money-text.tsx";
import { toast } from "./toast.tsx";
import { TOAST_MS } from "./toast-times.tsx";

describe("an amount", () => {
  it("reads the same from the wire and from money, and beyond what a number can hold", () => {
    expect(moneyLabel({ minor: 123450n, currency: "PHP" })).toBe("₱1,234.50");
    expect(moneyLabel({ minor: 9007199254740993n, currency: "PHP" })).toBe(
      "₱90,071,992,547,409.93",
    );
  });

  it("shows a plus on gains only where a sign is asked for, and never on zero", () => {
    expect(moneyLabel({ minor: 500n, currency: "FUN" }, { sign: true })).toBe("+F5.00");
    expect(moneyLabel({ minor: -500n, currency: "FUN" }, { sign: true })).toBe("-F5.00");
    expect(moneyLabel({ minor: 0n, currency: "PHP" }, { sign: true })).toBe("₱0.00");
  });

  it("is masked character by character", () => {
    expect(moneyLabel({ minor: 123450n, currency: "PHP" }, { masked: true })).toBe("*********");
  });
});

describe("a count", () => {
  it("is capped at 99 and says 99+ above it", () => {
    expect([0, 1, 99, 100, 4000].map(cappedCount)).toEqual(["0", "1", "99", "99+", "99+"]);
  });
});

describe("a field", () => {
  it("joins several errors by a comma and shows nothing without errors", () => {
    expect(joinErrors(["Too short", "Needs a digit"])).toBe("Too short, Needs a digit");
    expect(joinErrors(["", "Needs a digit"])).toBe("Needs a digit");
    expect(joinErrors(undefined)).toBe("");
    expect(joinErrors([])).toBe("");
  });
});

describe("a toast", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const shownFor = (id: string | number) =>
    sonner.getHistory().find((one) => one.id === id && "duration" in one);

  it("[A9-04 A9-07] stays 1 s for a success, 3 s for anything else, 8 s where that is too short", () => {
    expect(shownFor(toast.success("Saved"))).toMatchObject({ duration: 1_000 });
    expect(shownFor(toast.error("Refused"))).toMatchObject({ duration: 3_000 });
    expect(shownFor(toast.info("Not for trials"))).toMatchObject({ duration: 3_000 });
    const long = toast.error("Logged out", { durationMs: TOAST_MS.long });
    expect(shownFor(long)).toMatchObject({ duration: 8_000 });
  });

  it("[A9-01 A9-03] of a loading message ends by itself: after 9999 s, 10 s or 15 s", () => {
    vi.useFakeTimers();
    vi.stubGlobal("requestAnimationFrame", setTimeout);
    const stands = (id: string | number) => sonner.getToasts().some((one) => one.id === id);
    const { passwordLoadingMax, feedbackLoadingMax, securityLoadingMax } = TOAST_MS;
    for (const [durationMs, wantedMs] of [
      [undefined, 9_999_000],
      [passwordLoadingMax, 10_000],
      [feedbackLoadingMax, 10_000],
      [securityLoadingMax, 15_000],
    ] as const) {
      const id = toast.loading("Please wait", durationMs === undefined ? {} : { durationMs });
      vi.advanceTimersByTime(wantedMs - 1);
      expect(stands(id), `${wantedMs} ms`).toBe(true);
      vi.advanceTimersByTime(1);
      expect(stands(id), `${wantedMs} ms`).toBe(false);
    }
  });

  it("of a loading message does not end at the time of the message before it", () => {
    vi.useFakeTimers();
    vi.stubGlobal("requestAnimationFrame", setTimeout);
    const show = () => toast.loading("Please wait", { id: "sms", durationMs: 1_000 });
    const id = show();
    vi.advanceTimersByTime(600);
    show();
    vi.advanceTimersByTime(600);
    expect(sonner.getToasts().some((one) => one.id === id)).toBe(true);
    toast.dismiss(id);
    expect(sonner.getToasts().some((one) => one.id === id)).toBe(false);
  });

  it("of an unprompted notice stays 1.5 s", () => {
    expect(shownFor(toast.info("Back", { durationMs: TOAST_MS.notice }))).toMatchObject({
      duration: 1_500,
    });
  });

  it("[A9-05 A9-06] stays 1.5 s where it says that something was sent, and 2 s where it was copied", () => {
    expect(shownFor(toast.success("Sent", { durationMs: TOAST_MS.sent }))).toMatchObject({
      duration: 1_500,
    });
    expect(shownFor(toast.success("Copied", { durationMs: TOAST_MS.copied }))).toMatchObject({
      duration: 2_000,
    });
  });
});

describe("a button", () => {
  it("glows only when it is asked to", () => {
    expect(buttonClass({ glow: true })).not.toBe(buttonClass());
  });
});
