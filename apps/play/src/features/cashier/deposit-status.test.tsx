// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { DepositStatus } from "./deposit-status.tsx";

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
  withTexts: () => new Promise(() => undefined),
}));

const PAID = {
  ...{ id: "dep_1", state: "paid", amount: { minor: "10000", currency: "PHP" }, manual: null },
  ...{ payUrl: null, received: null, reason: null },
};

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("the screen does not wait for a deposit in the address that does not exist, or is another player's", async () => {
  refuse("not_found");
  await draw();
  expect(document.body.innerHTML).toBe("");
});

it("a deposit that could not be read says so, and is shown once it can be", async () => {
  refuse("cashier_closed");
  await draw();
  expect(document.body.textContent).toContain("why: cashier_closed");
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ value: PAID })));
  await act(async () => document.querySelector("button")?.click());
  await pass();
  expect(document.querySelector("[data-state=paid]")).not.toBeNull();
});

function refuse(code: string): void {
  const problem = {
    type: "",
    code,
    status: 404,
    title: "",
    detail: `why: ${code}`,
    requestId: "1",
  };
  const headers = { "content-type": "application/problem+json" };
  vi.stubGlobal("fetch", async () => {
    return new Response(JSON.stringify(problem), { status: 404, headers });
  });
}

async function draw(): Promise<void> {
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DepositStatus id="dep_1" />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

function pass(): Promise<void> {
  return act(() => new Promise<void>((done) => setTimeout(done, 20)));
}
