// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { leaveSession, startSession } from "../../shell/session.ts";
import { HomeHeader } from "./header.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const GUEST_BUTTONS = ["auth.login", "auth.register"];
const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

const page = pageOfEachTest();

beforeEach(() => {
  // The bar's calls never answer.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
});

afterEach(async () => {
  await act(async () => leaveSession());
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
    page.render(<RouterProvider router={router as never} />);
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
