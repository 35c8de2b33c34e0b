// @vitest-environment jsdom
import { File as NodeFile } from "node:buffer";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ComponentProps } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, queryClient } from "../../shell/server.ts";
import { startSession, useSession } from "../../shell/session.ts";
import ManualDeposit from "./manual-deposit.tsx";

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));

const MARIA = { merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false };
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const HOUSE = { name: "GWallet", holder: "Perya", number: "09171234567", qr: null };
const GIVEN = {
  deposit: { id: "dep_1", state: "pending", amount: { minor: 10_000n, currency: "PHP" } },
  manual: {
    ...{ house: { ...HOUSE, instructions: "" }, code: "AB12", receipt: false },
    payerReference: null,
  },
} as unknown as ComponentProps<typeof ManualDeposit>; // the card shows no more of it

let root: Root;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  api.alignClock(Date.now());
  startSession({ ...MARIA, token: "hers" });
  root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ManualDeposit {...GIVEN} />
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

it.each([
  ["is sent in the session that chose it", "hers", 1],
  ["is not sent where another session has begun while it was drawn smaller", "another", 0],
])("a receipt's picture %s", async (_title, token, calls) => {
  const sent = vi.fn(async () => new Response(JSON.stringify({ value: {} })));
  vi.stubGlobal("fetch", sent);
  const drawn = vi.fn(async () => {
    startSession({ ...MARIA, token });
    throw new Error("sent as it is");
  });
  vi.stubGlobal("createImageBitmap", drawn);
  const photograph = new Uint8Array(400_000);
  photograph.set(PNG_START);
  // jsdom's own File has no bytes to read.
  const file = new NodeFile([photograph], "receipt.png") as unknown as File;
  const input = document.querySelector("input[type=file]");
  Object.defineProperty(input, "files", { value: [file] });
  await act(async () => {
    input?.dispatchEvent(new Event("change", { bubbles: true }));
    await vi.waitFor(() => expect(drawn).toHaveBeenCalled(), 20_000);
  });
  // Either it is sent or a fault shows, and not both.
  await act(() =>
    vi.waitFor(() => {
      expect(sent).toHaveBeenCalledTimes(calls);
      expect(document.querySelector("[aria-live]")?.textContent === "").toBe(calls === 1);
    }, 20_000),
  );
});
