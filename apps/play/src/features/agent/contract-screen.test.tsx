// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { DividendContract } from "./contract-screen.tsx";

const address = vi.hoisted(() => ({ by: {} as Record<string, unknown> }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string, more: object = {}) => {
      address.by = { popup, ...more };
    },
  }),
  useOpenPopup: () => address.by,
}));
vi.mock("@perya/ui/sheet", () => ({
  ConfirmDialog: ({ open, title }: { open: boolean; title: ReactNode }) =>
    open && <p role="alertdialog">{title}</p>,
}));

const OFFERED = {
  ...{ kind: "dividend", state: "pending", period: "DAY", upline: "maria", tiers: [] },
  ...{ startsOn: null, endsOn: null, offeredAt: 0, createdAt: 0 },
};

const page = pageOfEachTest();

beforeEach(() => {
  queryClient.setQueryData(screenQueries.contractRequests("dividend").queryKey, [
    { ...OFFERED, id: "ctr_1" },
    { ...OFFERED, id: "ctr_2" },
  ] as never); // the screen reads no more of it
});

it("a question about an offer stays the same after a reload, and concerns that offer alone", async () => {
  address.by = {};
  await draw();
  const declines = [...document.querySelectorAll("button")].filter(
    ({ textContent }) => textContent === "agent.decline",
  );
  expect(declines).toHaveLength(2);
  await act(async () => declines[1]?.click());
  await page.leave();
  await draw();
  expect(asked()).toEqual(["agent.decline_title"]);
});

it("an address without a valid question about an offer opens none", async () => {
  address.by = { popup: "confirm" };
  await draw();
  expect(asked()).toEqual([]);
});

async function draw(): Promise<void> {
  await page.draw(<DividendContract />);
}

function asked(): (string | null)[] {
  return [...document.querySelectorAll("[role=alertdialog]")].map((one) => one.textContent);
}
