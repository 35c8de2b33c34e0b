// @vitest-environment jsdom
import { webcrypto } from "node:crypto";
import { base64url, CompactEncrypt } from "jose";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { queries, queryClient } from "../../shell/server.ts";
import ServiceButtons from "./service-buttons.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
// The popup is always open.
vi.mock("@perya/ui/small-popup", () => ({
  SmallPopup: ({ children }: { children: ReactNode }) => children,
}));

const page = pageOfEachTest();

beforeEach(() => {
  // jsdom has its own, which no cipher takes.
  vi.stubGlobal("Uint8Array", new TextEncoder().encode().constructor);
  vi.stubGlobal("crypto", webcrypto);
  // The status has the contacts; the call for them never answers.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
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
  await page.draw(<ServiceButtons resources={[]} chat={false} people />);
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
  await pass(10);
  return [...document.querySelectorAll("a")].map((link) => [
    link.textContent,
    link.getAttribute("href"),
  ]);
}
