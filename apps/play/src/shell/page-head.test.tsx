// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { usePageHead } from "./page-head.ts";
import { queries, queryClient } from "./server.ts";

vi.mock("./text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN" }),
}));

afterEach(() => {
  vi.doUnmock("@perya/contract/page-heads");
  document.head.replaceChildren();
  queryClient.clear();
  vi.unstubAllGlobals();
});

it.each([
  ["the server wrote them", true],
  ["nobody did", false],
])(
  "[G2.13-01] a page has one canonical address and one description, where %s, and they follow the page",
  async (_, areThere) => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    if (areThere) {
      document.head.innerHTML =
        '<link rel="canonical" href="https://perya.example/"><meta name="description" content="-">';
    }
    const info = { domainRoute: "https://perya.example", brandName: "Fiesta", minimumAge: 21 };
    queryClient.setQueryData(queries.status().queryKey, { info } as never); // nothing else is read
    const Page = ({ path }: { path: string }) => {
      usePageHead(path, undefined);
      return null;
    };
    const root = createRoot(document.createElement("div"));
    const draw = (path: string) =>
      act(async () =>
        root.render(
          <QueryClientProvider client={queryClient}>
            <Page path={path} />
          </QueryClientProvider>,
        ),
      );
    const head = (selector: string, of: string) =>
      [...document.head.querySelectorAll(selector)].map((one) => one.getAttribute(of));
    await draw("/m/help");
    expect(head("link[rel=canonical]", "href")).toEqual(["https://perya.example/m/help"]);
    await draw("/m/slot-games");
    expect(head("link[rel=canonical]", "href")).toEqual(["https://perya.example/rng"]);
    await act(() => vi.dynamicImportSettled());
    expect(head("meta[name=description]", "content")).toEqual([expect.stringMatching(/\w{3}/)]);
    await act(async () => root.unmount());
  },
);

it("a page whose search-engine texts do not load takes its visible title, and a page that was left does not", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const info = { domainRoute: "https://perya.example", brandName: "Fiesta", minimumAge: 21 };
  queryClient.setQueryData(queries.status().queryKey, { info } as never); // nothing else is read
  const Page = ({ title }: { title: "help.title" | undefined }) => {
    usePageHead("/m/help", title);
    return null;
  };
  let fail = () => {};
  const titleAfter = async (title: "help.title" | undefined, leaves: boolean) => {
    document.title = "before";
    const failed = new Promise<void>((done) => {
      fail = done;
    });
    vi.doMock("@perya/contract/page-heads", async () => {
      await failed;
      throw new Error("offline");
    });
    const root = createRoot(document.createElement("div"));
    await act(async () => {
      root.render(
        <QueryClientProvider client={queryClient}>
          <Page title={title} />
        </QueryClientProvider>,
      );
    });
    if (leaves) await act(async () => root.unmount());
    fail();
    await act(() => vi.dynamicImportSettled());
    const shown = document.title;
    await act(async () => root.unmount());
    return shown;
  };
  expect(await titleAfter("help.title", false)).toBe("help.title · Fiesta");
  expect(await titleAfter(undefined, false)).toBe("before");
  expect(await titleAfter("help.title", true)).toBe("before");
});
