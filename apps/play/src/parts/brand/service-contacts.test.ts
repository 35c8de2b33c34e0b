import { CONTACT_PLACES, standsAt } from "@perya/contract/brand-info";
import { base64url, CompactEncrypt } from "jose";
import { afterEach, expect, it, vi } from "vitest";
import { openContacts, serviceLinks } from "./service-contacts.ts";

const key = new Uint8Array(32).fill(7);
const contact = { csType: "CS", csPosition: "login", type: "1", path: null } as const;

/** Only the console hears of a contact that cannot be opened. */
const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
afterEach(() => warned.mockClear());

async function sealed(url: string) {
  const path = await new CompactEncrypt(new TextEncoder().encode(url))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(key);
  return { ...contact, type: "3" as const, url: null, path };
}

it("[A2.3-13] the brand's contacts and social pages are shown once each, where they have an address", async () => {
  const links = await serviceLinks({
    contactKey: base64url.encode(key),
    customerService: [
      { ...contact, title: "Chat", url: "https://chat.example/" },
      { ...contact, title: "Nowhere", url: null },
      { ...contact, title: "Bad", url: "javascript:alert(1)" },
    ],
    resources: [
      { resourceType: "TELEGRAM", url: "https://t.me/perya" },
      { resourceType: "FACEBOOK", url: "https://chat.example/" },
    ],
  });
  expect(links).toEqual([
    { title: "Chat", url: "https://chat.example/" },
    { title: "Telegram", url: "https://t.me/perya" },
  ]);
});

it("[A3-17] a sealed contact leads to its decrypted path, and nowhere under another key or content", async () => {
  const good = { ...(await sealed("https://wa.example/1")), title: "whatsapp" };
  const bad = { ...(await sealed("javascript:alert(1)")), title: "Bad" };
  const info = { customerService: [good, bad], resources: [] };
  const contactKey = base64url.encode(key);
  expect(await serviceLinks({ ...info, contactKey })).toEqual([
    { title: "whatsapp", url: "https://wa.example/1" },
  ]);
  const otherKey = base64url.encode(new Uint8Array(32).fill(8));
  expect(await serviceLinks({ ...info, contactKey: otherKey })).toEqual([]);
  const torn = { ...good, path: `${good.path.slice(0, -4)}AAAA` };
  expect(await serviceLinks({ contactKey, customerService: [torn], resources: [] })).toEqual([]);
  expect(warned).toHaveBeenCalledTimes(3);
});

it("a contact has a real address or is left out, even where no other contact exists", async () => {
  const customerService = ["https://chat.example/", "javascript:alert(1)"].map((url) => ({
    ...contact,
    title: "Chat",
    url,
  }));
  expect(await openContacts({ contactKey: base64url.encode(key), customerService })).toEqual([
    { title: "Chat", url: "https://chat.example/" },
  ]);
});

it.each([
  ["login", ["login"]],
  ["HOME, menu", ["home", "menu"]],
  ["", CONTACT_PLACES],
  ["somewhere else", CONTACT_PLACES],
  ["login,somewhere", ["login"]],
])("[A3-16] a contact of position %j is shown at %j", (csPosition, places) => {
  expect(CONTACT_PLACES.filter((place) => standsAt(place, { csPosition }))).toEqual(places);
});
