// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { leaveSession, startSession } from "../../shell/session.ts";
import { HomeHeader } from "./header.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));

const GUEST_BUTTONS = ["auth.login", "auth.register"];
const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  // The bar's calls never answer.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  await act(async () => leaveSession());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("[A2.1-16] the top bar of home has Login and Register for a visitor, who has no member area", async () => {
  await showBar();
  expect(buttons()).toEqual(GUEST_BUTTONS);
  expect(document.querySelector("a[href*='pop=member']")).toBeNull();
});

it.each([
  ["a member", 0],
  ["an agent", 1],
  ["a sub-agent", 2],
  ["a trial player", 4],
])(
  "[A2.1-16] the top bar of home has the member area for %s, and neither Login nor Register",
  async (_, type) => {
    await act(async () => startSession({ ...MARIA, type }));
    await showBar();
    expect(document.querySelector("a[href*='pop=member']")).not.toBeNull();
    expect(buttons()).toEqual([]);
  },
);

async function showBar(): Promise<void> {
  const router = createRouter({
    routeTree: createRootRoute({ component: HomeHeader }),
    history: createMemoryHistory(),
  });
  await act(async () => {
    root.render(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    );
    await router.load();
  });
  await vi.waitFor(() => expect(document.querySelector("header")).not.toBeNull(), 20_000);
}

/** The controls for logging in, links among them. */
function buttons(): string[] {
  const controls = [...document.querySelectorAll("button, a")];
  const names = controls.map(({ textContent }) => textContent ?? "");
  return names.filter((name) => GUEST_BUTTONS.includes(name));
}
