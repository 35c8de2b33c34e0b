import type { Page } from "@playwright/test";
import { closedPaths, PERMISSION_KEY_NAMES } from "../../packages/contract/src/permission-keys.ts";

/** What the page reads of the brand; the status holds more than is changed here. */
interface Status {
  info: Info;
  maintenance: boolean;
  regionRestriction: boolean;
}

interface Info {
  whitelabel: Record<string, boolean>;
  closedPaths: string[];
  currency: string;
  promoAvailability: Record<string, { enabled: boolean }>;
  referralReward: { minor: string; currency: string };
  speedDisplay: string;
  recoveryByPhone: boolean;
  contactKey: string;
  customerService: object[];
  externalLogin: string[];
  resources: object[];
  paths: Record<string, string>;
}

/** Shows the page another brand's settings; see `withStatus`. */
export function withBrand(page: Page, change: (info: Info) => void): Promise<void> {
  return withStatus(page, ({ info }) => change(info));
}

/** Shows the page a brand that has everything on, even features without a screen. */
export function withEverything(page: Page): Promise<void> {
  return withBrand(page, (info) => {
    for (const key of PERMISSION_KEY_NAMES) info.whitelabel[key] = true;
  });
}

/**
 * Shows the page another status: in the page's own data, in the reply of the status call, and in
 * that of the contacts call. The server's status stays, so this tests only what the page shows.
 */
export async function withStatus(page: Page, change: (status: Status) => void): Promise<void> {
  const changed = (status: Status) => {
    change(status);
    const { info } = status;
    info.closedPaths = closedPaths((key) => info.whitelabel[key] === true);
  };
  await page.route(
    (url) => url.pathname.startsWith("/m/"),
    async (route) => {
      if (route.request().resourceType() !== "document") return route.fallback();
      const response = await route.fetch();
      const html = (await response.text()).replace(
        /(<script[^>]*id="boot"[^>]*>)([\s\S]*?)(<\/script>)/,
        (_all, before: string, json: string, after: string) => {
          const boot = JSON.parse(json);
          changed(boot.status);
          return before + JSON.stringify(boot).replaceAll("<", "\\u003c") + after;
        },
      );
      await route.fulfill({ response, body: html });
    },
  );
  await page.route("**/api/v1/status", async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    changed(reply.value);
    await route.fulfill({ response, json: reply });
  });
  await page.route("**/api/v1/service-link", async (route) => {
    const response = await route.fetch({ url: new URL("/api/v1/status", page.url()).href });
    const { value } = await response.json();
    changed(value);
    const { contactKey, customerService: pathList } = value.info;
    await route.fulfill({ json: { value: { version: { contactKey, pathList } } } });
  });
}
