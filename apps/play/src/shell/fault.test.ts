import {
  ApiRefusal,
  EmptyAddress,
  EndUnknown,
  NetworkFailure,
  SessionChanged,
} from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { expect, it, vi } from "vitest";
import { faultText } from "./fault.ts";

// The catalogues that the app speaks from are made by its build.
vi.mock("./text.ts", async () => {
  const { default: texts } = await import("../locales/en/errors.json");
  return { textOf: (id: keyof typeof texts) => texts[id] };
});

function refused(code: RefusalCode): ApiRefusal {
  return new ApiRefusal({ type: "", code, status: 500, title: "", detail: "", requestId: "r" });
}

it("[A8-02] a request without an address says so", () => {
  expect(faultText(new EmptyAddress())).toBe("The requested url is empty");
});

it("[A8-01] what has no text of its own is unknown", () => {
  expect(faultText(new TypeError("x is not a function"))).toBe("Unknown error");
  expect(faultText(refused("internal"))).toBe("Unknown error");
});

it("[A8-14] a slow network and none are told apart", () => {
  vi.stubGlobal("navigator", { onLine: true });
  expect(faultText(new NetworkFailure(true))).toBe("Network slow. Please try again.");
  expect(faultText(new NetworkFailure(false))).toBe("No internet. Check your connection.");
  vi.stubGlobal("navigator", { onLine: false });
  expect(faultText(new NetworkFailure(true))).toBe("No internet. Check your connection.");
});

it("a command whose end was not found out is not said to have failed", () => {
  expect(faultText(new EndUnknown())).toMatch(/could not find out .* Look at your records/);
});

it("what another session kept from being sent says so, and that it may be tried again", () => {
  expect(faultText(new SessionChanged())).toMatch(/log-in changed .* Please try again/);
});
