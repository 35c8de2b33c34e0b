// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../tests/play/page-of-each-test.tsx";
import { readShellSearch } from "../shell/popups.ts";
import { useSession } from "../shell/session.ts";
import { Frame } from "./frame.tsx";

vi.mock("../shell/text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));
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

const page = pageOfEachTest();
let asked: string[];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(new URL(url, "http://localhost").pathname);
    return new Promise(() => undefined);
  });
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
  const history = createMemoryHistory({ initialEntries: ["/m/home"] });
  const router = createRouter({ routeTree, history });
  // The app's types are registered with another router.
  await page.draw(<RouterProvider router={router as never} />);
  await vi.waitFor(async () => {
    await pass(12);
    expect(document.body.textContent).toContain("bar");
  }, 20_000);
  for (let turn = 0; turn < 4; turn++) {
    await pass(12);
  }
}
