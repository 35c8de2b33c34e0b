// @vitest-environment jsdom
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import { usePageHead } from "./page-head.ts";
import { queries, queryClient } from "./server.ts";

vi.mock("./text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));

const page = pageOfEachTest();

afterEach(() => {
  vi.doUnmock("@perya/contract/page-heads");
  document.head.replaceChildren();
});

it.each([
  ["the server wrote them", true],
  ["nobody did", false],
])(
  "[G2.13-01] a page has one canonical address and one description, where %s, and they follow the page",
  async (_, areThere) => {
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
    const draw = (path: string) => page.draw(<Page path={path} />);
    const head = (selector: string, of: string) =>
      [...document.head.querySelectorAll(selector)].map((one) => one.getAttribute(of));
    await draw("/m/help");
    expect(head("link[rel=canonical]", "href")).toEqual(["https://perya.example/m/help"]);
    await draw("/m/slot-games");
    expect(head("link[rel=canonical]", "href")).toEqual(["https://perya.example/rng"]);
    await act(() => vi.dynamicImportSettled());
    expect(head("meta[name=description]", "content")).toEqual([expect.stringMatching(/\w{3}/)]);
    await page.leave();
  },
);

it("a page whose search-engine texts do not load takes its visible title, and a page that was left does not", async () => {
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
    await page.draw(<Page title={title} />);
    if (leaves) await page.leave();
    fail();
    await act(() => vi.dynamicImportSettled());
    const shown = document.title;
    await page.leave();
    return shown;
  };
  expect(await titleAfter("help.title", false)).toBe("help.title · Fiesta");
  expect(await titleAfter(undefined, false)).toBe("before");
  expect(await titleAfter("help.title", true)).toBe("before");
});
