// @vitest-environment jsdom
import { webcrypto } from "node:crypto";
import { QueryClientProvider } from "@tanstack/react-query";
import { base64url, CompactEncrypt } from "jose";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queries, queryClient } from "../../shell/server.ts";
import ServiceButtons from "./service-buttons.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));
// The popup is always open.
vi.mock("@perya/ui/small-popup", () => ({
  SmallPopup: ({ children }: { children: ReactNode }) => children,
}));

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  // jsdom has its own, which no cipher takes.
  vi.stubGlobal("Uint8Array", new TextEncoder().encode().constructor);
  vi.stubGlobal("crypto", webcrypto);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  // The status has the contacts; the call for them never answers.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("[A3-17] a sealed contact becomes a link to its decrypted path, with the brand's title, and one that cannot be opened is left out", async () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const key = new Uint8Array(32).fill(7);
  const other = new Uint8Array(32).fill(8);
  const customerService = [
    { title: "Ate Whats", ...(await sealed("https://wa.example/1?text=hi&from=perya", key)) },
    { title: "Stranger", ...(await sealed("https://wa.example/2", other)) },
    { title: "Kuya Chat", ...PLACE, type: "1", url: "https://chat.example/", path: null },
  ];
  queryClient.setQueryData(queries.status().queryKey, {
    info: { contactKey: base64url.encode(key), customerService, resources: [] },
  } as never); // the buttons read nothing else of it
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ServiceButtons resources={[]} chat={false} people />
      </QueryClientProvider>,
    ),
  );
  await expect.poll(drawn).toEqual([
    ["Ate Whats", "https://wa.example/1?text=hi&from=perya"],
    ["Kuya Chat", "https://chat.example/"],
  ]);
  expect(warned).toHaveBeenCalled();
  warned.mockRestore();
});

const PLACE = { csType: "CS", csPosition: "home" };

async function sealed(url: string, key: Uint8Array) {
  const path = await new CompactEncrypt(new TextEncoder().encode(url))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(key);
  return { ...PLACE, type: "3", url: null, path };
}

/** Each link with its target; decryption takes time. */
async function drawn(): Promise<(string | null)[][]> {
  await act(() => new Promise<void>((done) => setTimeout(done, 10)));
  return [...document.querySelectorAll("a")].map((link) => [
    link.textContent,
    link.getAttribute("href"),
  ]);
}
