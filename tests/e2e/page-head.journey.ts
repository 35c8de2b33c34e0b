import { expect, test } from "@playwright/test";

test("each page is canonical for itself, and home under one address", async ({ request }) => {
  const canonical = async (path: string) => {
    const html = await (await request.get(path, { headers: { accept: "text/html" } })).text();
    const [, href] = /<link rel="canonical" href="([^"]*)"/.exec(html) ?? [];
    return new URL(href ?? "").pathname;
  };
  for (const home of ["/", "/m", "/m/index", "/m/home"]) {
    expect(await canonical(home)).toBe("/m/home");
  }
  expect(await canonical("/m/slot-games?page=2")).toBe("/m/slot-games");
  expect(await canonical("/m/fairness")).toBe("/m/fairness");
});
