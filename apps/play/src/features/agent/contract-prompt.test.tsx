// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRouter,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readShellSearch, useOpenPopup, usePopups } from "../../shell/popups.ts";
import { queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import ContractPrompt from "./contract-prompt.tsx";
import ContractPrompts from "./contract-prompts.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN" }),
}));

const NOTHING = { dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" };
const BOYET = {
  ...{ token: "t", merchantCode: "perya", userName: "boyet", type: 2, firstTimeLogin: false },
};

let root: Root;
let router: AnyRouter;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  sessionStorage.clear();
  useSession.setState({ session: BOYET, lapsed: false });
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  root = createRoot(place);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

const KINDS = [
  ["dailysalreqtype", "screen.salary_contract", "/m/member/agent/getSalaryContract"],
  ["divtypecompperiodreq", "screen.dividend_contract", "/m/member/agent/getDevidendContract"],
  ["contracthoursalreq", "screen.hourly_contract", "/m/member/agent/getHourContract"],
] as const;

describe("an agent on home", () => {
  it.each(KINDS)(
    "[G2.9-13 G2.9-14 G2.9-15] for whom only %s is set is asked about %s, and is led to %s",
    async (requirement, title, path) => {
      await atHome({ ...NOTHING, [requirement]: "DAY" });
      expect(asked()).toEqual([title]);
      await press("agent.prompt_go");
      expect(router.state.location.pathname).toBe(path);
    },
  );

  it.each(KINDS)(
    "[G2.9-13 G2.9-14 G2.9-15] for whom %s is set may cancel %s, and then stays and is asked about no other contract",
    async (requirement, title) => {
      await atHome({ ...NOTHING, [requirement]: "DAY" });
      expect(asked()).toEqual([title]);
      await press("shell.cancel");
      expect(router.state.location.pathname).toBe("/m/home");
      expect(router.state.location.search).toEqual({});
      expect(asked()).toEqual([]);
    },
  );
});

async function atHome(info: Record<string, string>): Promise<void> {
  const answers: Record<string, unknown> = {
    "/api/v1/status": { info: { zone: "Asia/Manila", merchantCode: "perya" } },
    "/api/v1/announcements/popular": { list: [] },
    "/api/v1/agent/contract-info": info,
  };
  vi.stubGlobal("fetch", async (url: string) => {
    const value = answers[new URL(url, "http://localhost").pathname];
    return new Response(JSON.stringify({ value }));
  });
  const base = createRootRoute({ validateSearch: readShellSearch });
  const of = (path: string, component: () => React.ReactNode) =>
    createRoute({ getParentRoute: () => base, path, component });
  router = createRouter({
    routeTree: base.addChildren([
      of("/m/home", Home),
      ...KINDS.map(([, , path]) => of(path, () => null)),
    ]),
    history: createMemoryHistory({ initialEntries: ["/m/home"] }),
  });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* The app's types are registered with another router. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

/** Home with the popup that its address names. */
function Home() {
  const { popup, id } = useOpenPopup();
  const { close } = usePopups();
  return (
    <>
      <ContractPrompts />
      {popup === "contract" && <ContractPrompt open close={close} id={id} />}
    </>
  );
}

/** The titles of the open dialogs. */
function asked(): (string | null)[] {
  return [...document.querySelectorAll("[role=alertdialog] h2")].map((one) => one.textContent);
}

async function press(name: string): Promise<void> {
  const buttons = [...document.querySelectorAll<HTMLElement>("[role=alertdialog] button")];
  const found = buttons.find(({ textContent }) => textContent === name);
  expect(found, name).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

async function pass(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await act(() => new Promise<void>((done) => setTimeout(done, 12)));
  }
}
