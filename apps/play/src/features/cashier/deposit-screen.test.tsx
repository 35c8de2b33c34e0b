// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import DepositScreen from "./deposit-screen.tsx";

type OnDone = (reply: object, how: { readonly resumed: boolean }) => void;
const heard = vi.hoisted(() => ({ went: [] as object[], onDone: (() => undefined) as OnDone }));

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, when: () => "" }),
}));
vi.mock("@tanstack/react-router", () => ({
  useNavigate: () => async (to: object) => void heard.went.push(to),
  useSearch: () => ({}),
}));
vi.mock("../../shell/command.tsx", () => ({
  CommandState: () => null,
  useCommand: (_key: string, { onDone }: { onDone: OnDone }) => {
    heard.onDone = onDone;
    return { view: { phase: "rest", error: null }, send: () => undefined };
  },
}));
vi.mock("./live-cashier.ts", () => ({ useLiveCashier: () => undefined }));
vi.mock("./cashier-tabs.tsx", () => ({ CashierTabs: () => null }));
vi.mock("./cashier-list.tsx", () => ({ CashierList: () => null, CashierRow: () => null }));
vi.mock("../../shell/screen-queries.ts", () => {
  const pesos = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" });
  const limits = { min: pesos("10000"), max: pesos("100000"), quickAmounts: [] };
  const method = { code: "card", name: "Card", kind: "deposit", ...limits };
  const query = (name: string, reply: object) => () => ({
    queryKey: [name],
    queryFn: async () => reply,
  });
  return {
    screenQueries: {
      cashierMethods: query("methods", { methods: [method] }),
      deposits: () => ({
        ...query("deposits", { items: [], nextCursor: null })(),
        initialPageParam: null,
        getNextPageParam: () => null,
      }),
    },
  };
});

let root: Root;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DepositScreen />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.querySelector("form")).not.toBeNull());
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("a deposit that its provider refused is shown in its own state", async () => {
  await act(async () => heard.onDone({ id: "dep_1", payUrl: null }, { resumed: false }));
  expect(heard.went).toEqual([{ to: "/m/voucherCenter", search: { deposit: "dep_1" } }]);
});
