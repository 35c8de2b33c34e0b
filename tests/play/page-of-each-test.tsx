import { QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRouter,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  RouterProvider,
} from "@tanstack/react-router";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, vi } from "vitest";
import { queryClient } from "../../apps/play/src/shell/server.ts";
import { useSession } from "../../apps/play/src/shell/session.ts";

type ReadSearch = (search: Record<string, unknown>) => object;

/**
 * An empty page for each test of the file. After the test its drawing, the session, the stored
 * answers, the fake timers and all that was mocked are gone.
 */
export function pageOfEachTest() {
  let root: Root;
  const begin = () => {
    const place = document.createElement("div");
    document.body.replaceChildren(place);
    root = createRoot(place);
  };

  beforeEach(() => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    // Neither exists in jsdom.
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    vi.stubGlobal("scrollTo", () => undefined);
    begin();
  });

  afterEach(async () => {
    await act(async () => root.unmount());
    useSession.setState({ session: null, lapsed: false });
    queryClient.clear();
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  /** As the app would, without waiting for what comes of it. */
  const render = (shown: ReactNode) =>
    root.render(<QueryClientProvider client={queryClient}>{shown}</QueryClientProvider>);
  const draw = (shown: ReactNode) => act(async () => render(shown));

  return {
    render,
    draw,

    /** Takes the drawing away; the next one begins anew. */
    async leave(): Promise<void> {
      await act(async () => root.unmount());
      begin();
    },

    /** Draws the screen of an address; the screens are named by their paths. */
    async drawAt(
      address: string,
      screens: Readonly<Record<string, RouteComponent>>,
      validateSearch?: ReadSearch,
    ): Promise<AnyRouter> {
      const base = createRootRoute(validateSearch === undefined ? {} : { validateSearch });
      const routeTree = base.addChildren(
        Object.entries(screens).map(([path, component]) =>
          createRoute({ getParentRoute: () => base, path, component }),
        ),
      );
      const history = createMemoryHistory({ initialEntries: [address] });
      const router = createRouter({ routeTree, history });
      // The app's own router, whose type is registered, has other screens.
      await draw(<RouterProvider router={router as never} />);
      return router;
    },
  };
}

/** Lets real time pass, with what it brings to the page. */
export function pass(ms: number): Promise<void> {
  return act(() => new Promise<void>((done) => setTimeout(done, ms)));
}

/** Types into the inputs of these names. */
export async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  for (const [name, value] of Object.entries(values)) {
    await act(async () => {
      const input = document.querySelector(`input[name=${name}]`);
      write?.call(input, value);
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}
