// @vitest-environment jsdom
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { vendorIconFile } from "../../parts/games/vendors.ts";
import { queries, queryClient } from "../../shell/server.ts";
import { HomeFooter, Social } from "./home-footer.tsx";

const shown = vi.hoisted(() => ({ language: "EN" }));

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => shown.language,
  textOf: (id: string) => id,
  useText: () => ({
    t: (id: string, values?: object) => [id, ...Object.values(values ?? {})].join(" "),
    language: shown.language,
  }),
}));
vi.mock("../../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("../../shell/use-gate.ts", () => ({
  useGate: () => () => null,
  useGatedLink: () => () => ({}),
}));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: (props: { to: string; search?: Record<string, string>; children: ReactNode }) => (
    <a href={[props.to, new URLSearchParams(props.search)].filter((part) => `${part}`).join("?")}>
      {props.children}
    </a>
  ),
}));

const INFO = {
  brandName: "Fiesta",
  minimumAge: 18,
  licence: { EN: "Licensed in Curaçao", TY: "Lisensyado sa Curaçao" },
  paymentMethods: ["G-Wallet", "Bank"],
  paths: {},
  resources: [
    { resourceType: "FACEBOOK", url: "https://social.test/fiesta" },
    { resourceType: "TELEGRAM", url: "https://chat.test/fiesta" },
  ],
  imageCDNs: [],
  whitelabel: {},
};
const CATEGORIES = [
  ["RNG", ["BGS", "PGE"]],
  ["LIVE", ["LUN"]],
  ["LOTT", ["LOTT"]],
] as const;

const page = pageOfEachTest();

beforeEach(async () => {
  const status = { info: INFO } as never; // the footer reads nothing else of it
  queryClient.setQueryData(queries.status().queryKey, status);
});

it.each([
  ["EN", "Licensed in Curaçao"],
  ["TY", "Lisensyado sa Curaçao"],
  ["DE", "Licensed in Curaçao"],
])(
  "[A2.4-10 G1-01] the footer shows the licence, the brand's own age, its payments, vendors and pages, its description and its owner, in %s",
  async (language, licence) => {
    shown.language = language;
    await draw();
    const text = document.body.textContent ?? "";
    for (const part of [licence, "18+", "home.age_notice 18", "home.about Fiesta", "© Fiesta"]) {
      expect(text).toContain(part);
    }
    const payments = [...document.querySelectorAll("li")].filter(({ textContent }) =>
      INFO.paymentMethods.includes(textContent ?? ""),
    );
    expect(payments.map((one) => one.querySelector("svg") !== null)).toEqual([true, true]);
    const logos = [...document.querySelectorAll("img")].map((one) => one.getAttribute("src"));
    const files = CATEGORIES.flatMap(([, codes]) =>
      codes.map((code) => `/art/vendor/${vendorIconFile(code, "SMALL")}`),
    );
    expect(logos).toEqual(files);
    for (const { url } of INFO.resources) {
      expect(document.querySelector(`a[href="${url}"] svg`)).not.toBeNull();
    }
  },
);

it("[G2.3-01] the footer's casino part leads to rewards, rebates, VIP, missions and events", async () => {
  await draw();
  expect(linksOf("home.footer_casino")).toEqual([
    ["shell.rewards", "/m/rewardCenter"],
    ["shell.rebate", "/m/member/manualRebate"],
    ["shell.vip", "/m/member/benefits"],
    ["shell.missions", "/m/leaderBoard"],
    ["activity.title", "/m/activity"],
  ]);
});

it("[G2.3-04] the footer's support part leads to customer service, feedback and the common questions first", async () => {
  await draw();
  expect(linksOf("home.footer_support").slice(0, 3)).toEqual([
    ["home.footer_service", "/m/message"],
    ["feedback.title", "/m/feedback"],
    ["help.faq", "/m/help?tag=faq"],
  ]);
});

it("[G2.3-02] the footer's games part has each category of the vendors, in their order, and leads to it", async () => {
  await draw();
  expect(linksOf("home.footer_games")).toEqual([
    ["type.RNG", "/m/home?cat=RNG"],
    ["type.LIVE", "/m/home?cat=LIVE"],
    ["type.LOTT", "/m/home?cat=LOTT"],
  ]);
});

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
  "[G2.3-05] the footer has an icon for each social page with a link: of %j",
  async (resources, icons) => {
    await page.draw(<Social resources={resources} />);
    const links = [...document.querySelectorAll("a")];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual(icons);
    for (const link of links) expect(link.querySelector("svg")).not.toBeNull();
  },
);

async function draw(): Promise<void> {
  const categories = CATEGORIES.map(([type, codes]) => ({
    type,
    vendors: codes.map((vassalage) => ({ vassalage, gameType: type, displayName: vassalage })),
  })) as never; // the footer reads nothing else of a vendor
  await page.draw(<HomeFooter categories={categories} />);
}

function linksOf(part: string): (string | null)[][] {
  const links = document.querySelectorAll(`nav[aria-label="${part}"] a`);
  return [...links].map((link) => [link.textContent, link.getAttribute("href")]);
}
