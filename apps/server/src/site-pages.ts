import { HOME_PATHS } from "@perya/contract/page-paths";
import {
  type Brands,
  type Installation,
  type Merchant,
  pageHead,
  robotsText,
  sitemapXml,
  statusReply,
} from "./modules/brand/brand.ts";
import { type Catalogue, gameReply } from "./modules/catalogue/catalogue.ts";
import { type Announcements, bootAnnouncements } from "./modules/content/content.ts";
import type { PagesOptions } from "./platform/http/pages.ts";
import { isRegionClosed, type RegionGate } from "./platform/http/region.ts";

/** What the pages of a site are made of: the brand's own, by the host that was asked. */
export function sitePages(deps: {
  readonly brands: Brands;
  readonly catalogue: Catalogue;
  readonly announcements: Announcements;
  readonly installation: Installation;
  readonly regions: RegionGate<Merchant> | null;
}): Omit<PagesOptions, "folder" | "clock"> {
  const { brands, catalogue, announcements, installation, regions } = deps;
  const { publicUrl, imageCdns } = installation;

  async function ofBrand<T>(host: string, make: (merchant: Merchant) => T | Promise<T>) {
    const merchant = await brands.byHost(host);
    return merchant === null ? null : make(merchant);
  }

  return {
    imageOrigins: imageCdns,
    head: (host, path) => ofBrand(host, (merchant) => pageHead(merchant, publicUrl, path)),
    robots: (host) => ofBrand(host, (merchant) => robotsText(merchant, publicUrl)),
    sitemap: (host) => ofBrand(host, (merchant) => sitemapXml(merchant, publicUrl)),
    shell: async (host, path) => {
      if (!HOME_PATHS.includes(path)) return "";
      const shown = await ofBrand(host, (merchant) => bootAnnouncements(announcements, merchant));
      return shown === null ? "" : homeShell(shown.banners[0]?.scene ?? "");
    },
    regionClosed: async (request) => {
      const closed = (merchant: Merchant) => isRegionClosed(request, merchant, regions);
      return (await ofBrand(request.hostname, closed)) === true;
    },
    boot: (host, regionClosed) =>
      ofBrand(host, async (merchant) => {
        const [hot, shown] = await Promise.all([
          catalogue.hot(merchant),
          bootAnnouncements(announcements, merchant),
        ]);
        return {
          // The page is shared by all visitors, so nobody's address stands in it.
          status: await statusReply(merchant, installation, { address: "", regionClosed }),
          hot: { list: hot.map((game) => gameReply(game, merchant)) },
          announcements: shown,
        };
      }),
  };
}

/** The places of home with the first banner: its picture is there before the scripts are. */
function homeShell(scene: string): string {
  const banner = /^[a-z-]+$/.test(scene)
    ? `<img class="first-banner" src="/art/banner/${scene}.svg" alt="" width="720" height="300" ` +
      'fetchpriority="high">'
    : "";
  return (
    '<div class="app-column"><div class="first-bar"></div>' +
    `<div class="first-page">${banner}<div class="first-line"></div></div></div>`
  );
}
