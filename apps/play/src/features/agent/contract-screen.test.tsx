// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { DividendContract } from "./contract-screen.tsx";

const address = vi.hoisted(() => ({ by: {} as Record<string, unknown> }));

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, tag: "en", number: String, when: String }),
}));
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

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  queryClient.setQueryData(screenQueries.contractRequests("dividend").queryKey, [
    { ...OFFERED, id: "ctr_1" },
    { ...OFFERED, id: "ctr_2" },
  ] as never); // the screen reads no more of it
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("a question about an offer stays the same after a reload, and concerns that offer alone", async () => {
  address.by = {};
  await draw();
  const declines = [...document.querySelectorAll("button")].filter(
    ({ textContent }) => textContent === "agent.decline",
  );
  expect(declines).toHaveLength(2);
  await act(async () => declines[1]?.click());
  await act(async () => root.unmount());
  root = createRoot(document.body);
  await draw();
  expect(asked()).toEqual(["agent.decline_title"]);
});

it("an address without a valid question about an offer opens none", async () => {
  address.by = { popup: "confirm" };
  await draw();
  expect(asked()).toEqual([]);
});

async function draw(): Promise<void> {
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DividendContract />
      </QueryClientProvider>,
    ),
  );
}

function asked(): (string | null)[] {
  return [...document.querySelectorAll("[role=alertdialog]")].map((one) => one.textContent);
}
