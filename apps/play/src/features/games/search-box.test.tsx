// @vitest-environment jsdom
import { act, useEffect } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { switchLanguage } from "../../shell/text.ts";
import { SearchBox } from "./search-box.tsx";

const WAIT_MS = 600;
const searched: string[] = [];
let root: Root;

beforeEach(async () => {
  await switchLanguage("EN");
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  searched.length = 0;
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  root = createRoot(place);
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("[G2.7-31] a name is searched for 600 ms after the last key, and at once on Enter", async () => {
  await show("");
  await type("kal");
  await act(async () => vi.advanceTimersByTime(WAIT_MS - 1));
  await type("kala");
  await act(async () => vi.advanceTimersByTime(WAIT_MS - 1));
  expect(searched).toEqual([]);
  await act(async () => vi.advanceTimersByTime(1));
  expect(searched).toEqual(["kala"]);
  await show("kala");
  await type("kalabaw");
  await submit();
  expect(searched).toEqual(["kala", "kalabaw"]);
  await show("kalabaw");
  await act(async () => vi.advanceTimersByTime(WAIT_MS));
  expect(searched).toEqual(["kala", "kalabaw"]);
});

it("[G5-01] a name is searched for without the spaces around it, and spaces alone start no search", async () => {
  await show("");
  await type("  kala baw ");
  await submit();
  expect(searched).toEqual(["kala baw"]);
  await show("kala baw");
  await type(" kala baw");
  await act(async () => vi.advanceTimersByTime(WAIT_MS));
  await type("   ");
  await submit();
  expect(searched).toEqual(["kala baw", ""]);
});

it.each([
  ["was searched for", submit],
  ["waited to be searched for", async () => {}],
])(
  "a list chosen as the wait ends is not replaced by a search for a name that %s",
  async (_how, then) => {
    await show("kala");
    await type("kalabaw");
    await then();
    const before = [...searched];
    if (before.length > 0) await show("kalabaw");
    // The wait ends after the box received the change and before it is drawn again.
    await show("", () => vi.advanceTimersByTime(WAIT_MS));
    await act(async () => vi.advanceTimersByTime(WAIT_MS));
    expect(searched).toEqual(before);
  },
);

it("text typed for a list that was left is searched for in no other list, and leaves the box", async () => {
  await show("");
  await type("kala");
  await show("", undefined, "fav");
  expect(document.querySelector("input")?.value).toBe("");
  await act(async () => vi.advanceTimersByTime(WAIT_MS));
  expect(searched).toEqual([]);
});

it("text typed while its own search opens another list stays in the box", async () => {
  await show("", undefined, "hot");
  await type("kala");
  await submit();
  await type("kalabaw");
  await show("kala", undefined, "all");
  expect(document.querySelector("input")?.value).toBe("kalabaw");
  await act(async () => vi.advanceTimersByTime(WAIT_MS));
  expect(searched).toEqual(["kala", "kalabaw"]);
});

/** @param heard called right after the box received the value */
function show(value: string, heard = () => {}, list = "all"): Promise<void> {
  return act(async () =>
    root.render(
      <>
        <SearchBox value={value} list={list} onSearch={(name) => searched.push(name)} />
        <Heard then={heard} />
      </>,
    ),
  );
}

/** Drawn only with its parent, and not where the box draws itself again. */
function Heard({ then }: { then: () => void }) {
  useEffect(() => void then());
  return null;
}

async function type(name: string): Promise<void> {
  const input = document.querySelector("input");
  if (input === null) throw new Error("no box");
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  await act(async () => {
    setter?.call(input, name);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

function submit(): Promise<void> {
  return act(async () => document.querySelector("form")?.requestSubmit());
}
