import type { Page } from "@playwright/test";

/** What the page reads of the brand; more stands there than is changed here. */
interface Status {
  info: Info;
  maintenance: boolean;
  regionRestriction: boolean;
}

interface Info {
  whitelabel: Record<string, boolean>;
  promoAvailability: Record<string, { enabled: boolean }>;
  referralReward: { minor: string; currency: string };
  speedDisplay: string;
  recoveryByPhone: boolean;
  contactKey: string;
  customerService: object[];
  resources: object[];
}

/** Shows the page another brand's settings; see `withStatus`. */
export function withBrand(page: Page, change: (info: Info) => void): Promise<void> {
  return withStatus(page, ({ info }) => change(info));
}

/**
 * Shows the page another status: in the page's own data, in the reply of the call, and in that of
 * the call for its contacts. The server keeps its own, so this is for what the page shows and hides.
 */
export async function withStatus(page: Page, change: (status: Status) => void): Promise<void> {
  await page.route(
    (url) => url.pathname.startsWith("/m/"),
    async (route) => {
      if (route.request().resourceType() !== "document") return route.fallback();
      const response = await route.fetch();
      const html = (await response.text()).replace(
        /(<script[^>]*id="boot"[^>]*>)([\s\S]*?)(<\/script>)/,
        (_all, before: string, json: string, after: string) => {
          const boot = JSON.parse(json);
          change(boot.status);
          return before + JSON.stringify(boot).replaceAll("<", "\\u003c") + after;
        },
      );
      await route.fulfill({ response, body: html });
    },
  );
  await page.route("**/api/v1/status", async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    change(reply.value);
    await route.fulfill({ response, json: reply });
  });
  await page.route("**/api/v1/service-link", async (route) => {
    const response = await route.fetch({ url: new URL("/api/v1/status", page.url()).href });
    const { value } = await response.json();
    change(value);
    const { contactKey, customerService: pathList } = value.info;
    await route.fulfill({ json: { value: { version: { contactKey, pathList } } } });
  });
}
