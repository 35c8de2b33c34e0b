// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import GameRecordScreen from "./game-record-screen.tsx";

const address = vi.hoisted(() => ({ by: {} as Record<string, unknown> }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string, more: object) => Object.assign(address.by, { popup, ...more }),
  }),
  useOpenPopup: () => address.by,
}));
vi.mock("../../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("./record-tabs.tsx", () => ({ RecordTabs: () => null }));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ open, title }: { open: boolean; title: ReactNode }) => open && <h2>{title}</h2>,
}));

const MONEY = { minor: "100", currency: "PHP" };
const ROUND = {
  ...{ id: "1001", gameId: "g", state: "settled", stake: MONEY, payout: MONEY, at: 0 },
};

const page = pageOfEachTest();

it("a tap on a round shows that one, even if a round of another vendor has the same id", async () => {
  const items = [
    { ...ROUND, vendor: "PGE", gameName: "Pista Gold" },
    { ...ROUND, vendor: "LUN", gameName: "Luna Roulette" },
  ];
  vi.stubGlobal("fetch", async () => {
    return new Response(JSON.stringify({ value: { items, nextCursor: null } }));
  });
  const draw = async (key: number) => {
    await page.draw(<GameRecordScreen key={key} />);
    await pass(20);
  };
  await draw(1);
  for (const name of ["Pista Gold", "Luna Roulette"]) {
    const rows = [...document.querySelectorAll("button")];
    await act(async () => rows.find(({ textContent }) => textContent?.includes(name))?.click());
    await draw(2 + rows.length);
    expect(document.querySelector("h2")?.textContent).toBe(name);
  }
});
