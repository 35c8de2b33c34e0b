// @vitest-environment jsdom
import { fixedList, type GameList } from "@perya/contract/game-lists";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { FilterSheet, type Filters } from "./filter-sheet.tsx";
import { readListSearch } from "./list-search.ts";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ children, footer }: { children: ReactNode; footer: ReactNode }) => [children, footer],
}));

const VENDOR = "games.provider";
const CLASS = "games.classification";
const FILTERS = { vassalage: "PGE", name: "gold", type: "NEW", minBet: "" };

let root: Root;
let applied: Filters | null;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  // The sheet's other calls never answer.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  applied = null;
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

const PATHS: readonly (readonly [
  path: string,
  list: GameList,
  choices: string[],
  applied: Filters,
])[] = [
  ["/m/gameList", { gameType: "RNG" }, [VENDOR, CLASS], FILTERS],
  ["/m/inHouse", fixed("/m/inHouse"), [CLASS], { ...FILTERS, vassalage: "" }],
  ["/m/roulette", fixed("/m/roulette"), [VENDOR], { ...FILTERS, type: "" }],
];

it.each(PATHS)(
  "[G2.7-14 G2.7-04 G2.7-02] on %s the filter panel offers what its path leaves open, and sets nothing else",
  async (_, list, choices, expected) => {
    await draw(list);
    expect([VENDOR, CLASS].filter((label) => document.body.textContent?.includes(label))).toEqual(
      choices,
    );
    await act(async () => document.querySelector("form")?.requestSubmit());
    expect(applied).toEqual(expected);
  },
);

it.each([
  ["₱1,250.5a", "1250.5", "1250.5"],
  ["12.", "12.", "12"],
  [".5", "0.5", "0.5"],
  ["abc", "", ""],
])(
  "[G5-02] of %j as the smallest bet the box takes %j, and the list %j",
  async (typed, shown, set) => {
    await draw({ gameType: "RNG" });
    const box = document.querySelector<HTMLInputElement>("input[inputmode=decimal]");
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    await act(async () => {
      write?.call(box, typed);
      box?.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(box?.value).toBe(shown);
    await act(async () => document.querySelector("form")?.requestSubmit());
    expect(applied?.minBet).toBe(set);
    // An address stores it exactly.
    expect(readListSearch({ minBet: set }).minBet ?? "").toBe(set);
  },
);

async function draw(list: GameList): Promise<void> {
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilterSheet
          open
          close={() => undefined}
          vendors={[]}
          list={list}
          filters={FILTERS}
          onApply={(filters) => {
            applied = filters;
          }}
        />
      </QueryClientProvider>,
    ),
  );
}

function fixed(path: string): GameList {
  const list = fixedList(path);
  if (list === undefined) throw new Error(`${path} fixes nothing`);
  return list;
}
