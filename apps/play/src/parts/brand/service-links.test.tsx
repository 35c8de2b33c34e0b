// @vitest-environment jsdom
import { base64url, CompactEncrypt } from "jose";
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { queries, queryClient } from "../../shell/server.ts";
import type { ServiceLink } from "./service-contacts.ts";
import { useContacts, useServiceLinks } from "./service-links.ts";

const OF_STATUS = { keyByte: 7, url: "https://chat.example/then" };
const OF_REPLY = { keyByte: 8, url: "https://chat.example/now" };

const page = pageOfEachTest();
let asked: string[];
let links: { contacts: readonly ServiceLink[]; all: readonly ServiceLink[] };

beforeEach(async () => {
  // jsdom has its own, which no cipher takes.
  vi.stubGlobal("Uint8Array", new TextEncoder().encode().constructor);
  asked = [];
  const { contactKey, pathList: customerService } = await sealed(OF_STATUS);
  queryClient.setQueryData(queries.status().queryKey, {
    info: { contactKey, customerService, resources: [] },
  } as never); // the contacts read nothing else of it
});

it("[A3-17 A7-28] contacts come from the service link's reply, decrypted with its own key, and from the status until then", async () => {
  let answer: (reply: Response) => void = () => undefined;
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return new Promise((done) => {
      answer = done;
    });
  });
  await draw();
  await expect.poll(shown).toEqual([OF_STATUS.url, OF_STATUS.url]);
  const value = { version: await sealed(OF_REPLY) };
  await act(async () => answer(new Response(JSON.stringify({ value }))));
  await expect.poll(shown).toEqual([OF_REPLY.url, OF_REPLY.url]);
  expect(asked).toEqual(["/api/v1/service-link"]);
});

it("contacts of the status stay where the service link's reply fails", async () => {
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return new Response("", { status: 404 });
  });
  await draw();
  await expect.poll(() => asked).toContain("/api/v1/service-link");
  await expect.poll(shown).toEqual([OF_STATUS.url, OF_STATUS.url]);
});

/** One contact, sealed under the key beside it. */
async function sealed({ keyByte, url }: { keyByte: number; url: string }) {
  const key = new Uint8Array(32).fill(keyByte);
  const path = await new CompactEncrypt(new TextEncoder().encode(url))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(key);
  const contact = { csType: "CS", csPosition: "", title: "Chat", type: "3", url: null, path };
  return { contactKey: base64url.encode(key), pathList: [contact] };
}

async function draw(): Promise<void> {
  function Probe() {
    links = { contacts: useContacts("home"), all: useServiceLinks("home") };
    return null;
  }
  await page.draw(<Probe />);
}

/** The targets of both lists; decryption takes time. */
async function shown(): Promise<string[]> {
  await pass(10);
  return [...links.contacts, ...links.all].map(({ url }) => url);
}
