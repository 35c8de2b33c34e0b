// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { Social } from "./home-footer.tsx";

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));

const FACEBOOK = { resourceType: "FACEBOOK", url: "https://facebook.example/perya" };
const TELEGRAM = { resourceType: "TELEGRAM", url: "https://t.example/perya" };

it.each([
  [[], []],
  [[FACEBOOK], [["Facebook", FACEBOOK.url]]],
  [[TELEGRAM], [["Telegram", TELEGRAM.url]]],
  [
    [TELEGRAM, FACEBOOK],
    [
      ["Facebook", FACEBOOK.url],
      ["Telegram", TELEGRAM.url],
    ],
  ],
])(
  "[G2.3-05] the footer has an icon of each social page that has a link: of %j",
  (resources, icons) => {
    document.body.innerHTML = renderToStaticMarkup(<Social resources={resources} />);
    const links = [...document.querySelectorAll("a")];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual(icons);
    for (const link of links) expect(link.querySelector("svg")).not.toBeNull();
  },
);
