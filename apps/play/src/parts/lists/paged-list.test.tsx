// @vitest-environment jsdom
import { useInfiniteQuery } from "@tanstack/react-query";
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { switchLanguage, textOf } from "../../shell/text.ts";
import { PagedList } from "./paged-list.tsx";

/** By cursor, as from a server that reads a bounded number of rows per page. */
const PAGES: Readonly<Record<string, { items: string[]; nextCursor: string | null }>> = {
  "": { items: [], nextCursor: "a" },
  a: { items: [], nextCursor: "b" },
  b: { items: [], nextCursor: null },
};

const page = pageOfEachTest();

beforeEach(async () => {
  await switchLanguage("EN");
});

it("a list says that it is empty only once its last page has come", async () => {
  await page.draw(<Rows />);
  for (let page = 0; page < 2; page++) {
    await shows(textOf("shell.none_lately"));
    expect(document.body.textContent).not.toContain("NOTHING");
    await act(async () => document.querySelector("button")?.click());
  }
  await shows("NOTHING");
  expect(document.querySelector("button")).toBeNull();
});

function Rows() {
  const list = useInfiniteQuery({
    queryKey: ["rows"],
    queryFn: async ({ pageParam }) => PAGES[pageParam] ?? { items: [], nextCursor: null },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return <PagedList list={list} keyOf={String} row={String} empty="NOTHING" />;
}

async function shows(what: string): Promise<void> {
  await vi.waitFor(
    () => act(async () => expect(document.body.textContent).toContain(what)),
    20_000,
  );
}
