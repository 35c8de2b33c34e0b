import {
  ApiRefusal,
  EmptyAddress,
  EndUnknown,
  NetworkFailure,
  NotSent,
  SessionChanged,
  StrangeAnswer,
} from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { notify } from "@perya/ui/notify";
import { expect, it, vi } from "vitest";
import { faultText, sayFault } from "./fault.ts";
import { useSession } from "./session.ts";

// The build makes the catalogues of texts.
vi.mock("./text.ts", async () => {
  const { default: texts } = await import("../locales/en/errors.json");
  return { textOf: (id: keyof typeof texts) => texts[id] };
});

const NEWER = { token: "newer", merchantCode: "perya", userName: "boyet" };

function refused(code: RefusalCode, detail = ""): ApiRefusal {
  return new ApiRefusal({ type: "", code, status: 500, title: "", detail, requestId: "r" });
}

it("[A8-02] a request without an address says so", () => {
  expect(faultText(new EmptyAddress())).toBe("The requested url is empty");
});

it("[A8-01] a fault without a text of its own is unknown", () => {
  expect(faultText(new TypeError("x is not a function"))).toBe("Unknown error");
  // The server's own failure: it has a sentence, but none about the fault.
  const detail = "Something went wrong on our side. Please try again.";
  expect(faultText(refused("internal", detail))).toBe("Unknown error");
  // A problem without a sentence.
  expect(faultText(refused("not_found"))).toBe("Unknown error");
});

it.each(["permission_denied", "feature_off"] as const)(
  "[A8-08] a call refused as %s shows the server's own sentence",
  (code) => {
    const said = vi.spyOn(notify, "error").mockImplementation(() => undefined);
    const detail = "Sorry, this account does not have permission.";
    sayFault(new ApiRefusal({ ...refused(code).problem, status: 403, detail }));
    const [text] = said.mock.calls[0] ?? [];
    expect(typeof text === "function" ? text() : text).toBe(detail);
    said.mockRestore();
  },
);

it("[A8-01] an answer from a gateway instead of the server is unknown", () => {
  vi.stubGlobal("navigator", { onLine: true });
  expect(faultText(new StrangeAnswer("502"))).toBe("Unknown error");
  expect(faultText(new NotSent(false, new StrangeAnswer("502")))).toBe("Unknown error");
  vi.stubGlobal("navigator", { onLine: false });
  expect(faultText(new StrangeAnswer("502"))).toBe("No internet. Check your connection.");
});

it("[A8-14] a slow network and a missing one have different texts", () => {
  vi.stubGlobal("navigator", { onLine: true });
  expect(faultText(new NetworkFailure(true))).toBe("Network slow. Please try again.");
  expect(faultText(new NetworkFailure(false))).toBe("No internet. Check your connection.");
  vi.stubGlobal("navigator", { onLine: false });
  expect(faultText(new NetworkFailure(true))).toBe("No internet. Check your connection.");
});

it("a command whose end is unknown is not called failed", () => {
  expect(faultText(new EndUnknown())).toMatch(/could not find out .* Look at your records/);
});

it("a call that another session prevented says so, and that it may be tried again", () => {
  expect(faultText(new SessionChanged())).toMatch(/log-in changed .* Please try again/);
});

it("a session's end shows no message beside its lapse and none after a sign-out, and a visitor who needs a log-in is told so", () => {
  const said = vi.spyOn(notify, "error").mockImplementation(() => undefined);
  const times = (code: RefusalCode) => {
    sayFault(refused(code));
    return said.mock.calls.length;
  };
  useSession.setState({ session: null, lapsed: true });
  expect([times("session_ended"), times("not_logged_in")]).toEqual([0, 0]);
  useSession.setState({ session: null, lapsed: false });
  expect([times("session_ended"), times("not_logged_in")]).toEqual([0, 1]);
  // Asked under another session than the one that has begun since.
  useSession.setState({ session: { ...NEWER, type: 0, firstTimeLogin: false }, lapsed: false });
  expect(times("session_ended")).toBe(2);
});
