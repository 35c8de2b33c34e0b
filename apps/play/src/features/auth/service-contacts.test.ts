import { expect, it } from "vitest";
import { serviceLinks } from "./service-contacts.ts";

it("[A2.3-13] the brand's contacts and social pages are shown once each, where they lead somewhere", () => {
  const contact = { csType: "CS", csPosition: "login" };
  expect(
    serviceLinks({
      customerService: [
        { ...contact, title: "Chat", url: "https://chat.example/" },
        { ...contact, title: "Sealed", url: null },
        { ...contact, title: "Bad", url: "javascript:alert(1)" },
      ],
      resources: [
        { resourceType: "TELEGRAM", url: "https://t.me/perya" },
        { resourceType: "FACEBOOK", url: "https://chat.example/" },
      ],
    }),
  ).toEqual([
    { title: "Chat", url: "https://chat.example/" },
    { title: "Telegram", url: "https://t.me/perya" },
  ]);
});
