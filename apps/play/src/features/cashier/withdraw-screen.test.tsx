// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries, queryClient } from "../../shell/server.ts";
import WithdrawScreen from "./withdraw-screen.tsx";

const address = vi.hoisted(() => ({ popup: null as string | null }));

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({
    t: (id: string, values: object = {}) => [id, ...Object.values(values)].join(" "),
  }),
}));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string) => {
      address.popup = popup;
    },
  }),
  useOpenPopup: () => address,
}));
vi.mock("./cashier-tabs.tsx", () => ({ CashierTabs: () => null }));
vi.mock("./cashier-list.tsx", () => ({ CashierList: () => null }));
vi.mock("./live-cashier.ts", () => ({ useLiveCashier: () => undefined }));
vi.mock("@perya/ui/sheet", () => ({
  ConfirmDialog: ({ open, children }: { open: boolean; children: ReactNode }) =>
    open && <p role="alertdialog">{children}</p>,
}));

const pesos = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" }) as const;
const METHOD = {
  ...{ code: "gwallet", name: "GWallet", kind: "withdrawal", quickAmounts: [] },
  ...{ min: pesos("10000"), max: pesos("5000000") },
} as const;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("only the player who pressed confirms a withdrawal: a reload leaves the form without a dialog, even while it is filled in", async () => {
  queryClient.setQueryData(screenQueries.cashierMethods().queryKey, {
    ...{ methods: [METHOD], proofNeeded: false },
  });
  address.popup = "confirm";
  const root = await drawn();
  const dialog = () => document.querySelector("[role=alertdialog]")?.textContent;
  expect(dialog()).toBeUndefined();
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  const [number, amount] = document.querySelectorAll("input:not([type=radio])");
  for (const [input, text] of [
    [number, "09171234567"],
    [amount, "150"],
  ] as const) {
    await act(async () => {
      write?.call(input, text);
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  expect(dialog()).toBeUndefined();
  await act(async () => document.querySelector("form")?.requestSubmit());
  expect(dialog()).toBe("cashier.confirm_text ₱150.00 09171234567");
  await act(async () => root.unmount());
});

it("offers no amount above the balance, and all of it", async () => {
  const quickAmounts = [pesos("50000"), pesos("100000"), pesos("500000")];
  queryClient.setQueryData(screenQueries.cashierMethods().queryKey, {
    ...{ methods: [{ ...METHOD, quickAmounts }], proofNeeded: false },
  });
  const offered = async (available: string) => {
    queryClient.setQueryData(queries.wallet().queryKey, {
      ...{ available: pesos(available), held: pesos("0"), version: 1, sumBalance: "0.00" },
    });
    const root = await drawn();
    const chips = [...document.querySelectorAll("fieldset button")].map((one) => one.textContent);
    await act(async () => root.unmount());
    return chips;
  };
  expect(await offered("123456")).toEqual(["₱500", "₱1,000", "cashier.all"]);
  expect(await offered("100000")).toEqual(["₱500", "cashier.all"]);
  expect(await offered("9999")).toEqual([]);
});

async function drawn(): Promise<Root> {
  const root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <WithdrawScreen />
      </QueryClientProvider>,
    ),
  );
  return root;
}
