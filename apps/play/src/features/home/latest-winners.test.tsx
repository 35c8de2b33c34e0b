// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { live, queryClient } from "../../shell/server.ts";
import { LatestWinners } from "./latest-winners.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const page = pageOfEachTest();

it("a game's default picture replaces one that does not load", async () => {
  vi.spyOn(live, "subscribe").mockReturnValue(() => undefined);
  const payout = { minor: 100n, currency: "PHP" } as const;
  const won = { at: 1, account: "ma***", nodeId: 7, gameName: "Parol Fortune", payout };
  queryClient.setQueryData(screenQueries.winners().queryKey, { list: [won] } as never); // all read
  await page.draw(<LatestWinners />);
  const picture = () => document.querySelector("img")?.getAttribute("src");
  expect(picture()).toContain("/art/tile/7.svg");
  await act(async () => void document.querySelector("img")?.dispatchEvent(new Event("error")));
  expect(picture()).toBe("/art/tile/default.svg");
});
