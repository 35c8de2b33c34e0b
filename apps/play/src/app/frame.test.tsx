// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readShellSearch } from "../shell/popups.ts";
import { queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { Frame } from "./frame.tsx";

// The build makes the catalogues of texts.
vi.mock("../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", tag: "en" }),
}));
vi.mock("../parts/money/wallet.ts", () => ({ useLiveWallet: () => undefined }));
vi.mock("../parts/page/header.tsx", () => ({ HomeHeader: () => null, PageHeader: () => null }));
vi.mock("./bottom-tabs.tsx", () => ({ BottomTabs: () => null }));
vi.mock("./popup-host.tsx", () => ({ PopupHost: () => null }));
vi.mock("../shell/offline-banner.tsx", () => ({ OfflineBanner: () => null }));
vi.mock("../shell/page-head.ts", () => ({ usePageHead: () => undefined }));
vi.mock("../features/app/download-bar.tsx", () => ({ default: () => <i>bar</i> }));

const CONTRACTS = "/api/v1/agent/contract-info";
const LINDA = {
  ...{ token: "t", merchantCode: "perya", userName: "linda", firstTimeLogin: false },
};

let root: Root;
let asked: string[];

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  asked = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(new URL(url, "http://localhost").pathname);
    return new Promise(() => undefined);
  });
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

it.each([1, 2])(
  "[G2.9-12] home loads the contracts offered to a session of type %d",
  async (type) => {
    await openHome(type);
    expect(asked).toContain(CONTRACTS);
  },
);

it.each([null, 0, 4, 40, 41, 42])(
  "[G2.9-12] home loads no contracts for a session of type %s, and prompts about none",
  async (type) => {
    await openHome(type);
    expect(asked).not.toContain(CONTRACTS);
  },
);

/** Home in a session of a type, null for a visitor, with everything loaded. */
async function openHome(type: number | null): Promise<void> {
  useSession.setState({ session: type === null ? null : { ...LINDA, type }, lapsed: false });
  const base = createRootRoute({ component: Frame, validateSearch: readShellSearch });
  const home = createRoute({ getParentRoute: () => base, id: "home", component: () => null });
  const path = createRoute({ getParentRoute: () => home, path: "/m/home" });
  const routeTree = base.addChildren([home.addChildren([path])]);
  const router = createRouter({
    routeTree,
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
  await vi.waitFor(async () => {
    await act(() => new Promise<void>((done) => setTimeout(done, 12)));
    expect(document.body.textContent).toContain("bar");
  }, 20_000);
  for (let turn = 0; turn < 4; turn++) {
    await act(() => new Promise<void>((done) => setTimeout(done, 12)));
  }
}
