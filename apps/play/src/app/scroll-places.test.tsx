// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
  useLocation,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { useScrollPlaces } from "./scroll-places.ts";

afterEach(() => vi.unstubAllGlobals());

it("a page begins at its top, the way back restores its scroll position, and a filter moves nothing", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("scrollTo", ({ top }: ScrollToOptions) => vi.stubGlobal("scrollY", top));
  vi.stubGlobal("scrollY", 0);
  const base = createRootRoute({
    component: () => {
      useScrollPlaces(useLocation({ select: ({ pathname }) => pathname }));
      return <Outlet />;
    },
  });
  const pages = ["/a", "/b"].map((path) =>
    createRoute({ getParentRoute: () => base, path, component: () => null }),
  );
  const history = createMemoryHistory({ initialEntries: ["/a"] });
  const router = createRouter({ routeTree: base.addChildren(pages), history });
  const root = createRoot(document.createElement("div"));
  // A router of two pages replaces the app's own, whose type is registered.
  await act(async () => root.render(<RouterProvider router={router as never} />));
  const go = async (step: () => unknown) => {
    await act(async () => void step());
    return scrollY;
  };
  vi.stubGlobal("scrollY", 700);
  const filter = () =>
    router.navigate({
      to: ".",
      search: { tab: "hot" } as never,
      replace: true,
      resetScroll: false,
    });
  expect(await go(filter)).toBe(700);
  expect(await go(() => history.push("/b"))).toBe(0);
  vi.stubGlobal("scrollY", 300);
  expect(await go(() => history.back())).toBe(700);
  vi.stubGlobal("scrollY", 650);
  expect(await go(() => history.forward())).toBe(300);
  expect(await go(() => history.back())).toBe(650);
  await act(async () => root.unmount());
});
