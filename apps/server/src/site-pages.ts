import { FIXED_LIST_PATHS, fixedList, pageOfType } from "@perya/contract/game-lists";
import { PAGES_WITH_HEADS } from "@perya/contract/page-heads";
import {
  HOME_PATHS,
  isShortPath,
  SHORT_ADDRESSES,
  screenPath,
  spellings,
} from "@perya/contract/page-paths";
import {
  type Brands,
  type Installation,
  type Merchant,
  ownManifest,
  pageHead,
  robotsText,
  sitemapXml,
  statusReply,
} from "./modules/brand/brand.ts";
import { type Catalogue, gameReply, vendorsReply } from "./modules/catalogue/catalogue.ts";
import {
  type Announcements,
  bootAnnouncements,
  type HotMatches,
} from "./modules/content/content.ts";
import { escapeHtml } from "./platform/escape-html.ts";
import type { AppAddresses, PagesOptions } from "./platform/http/pages.ts";
import { isRegionClosed, type RegionGate } from "./platform/http/region.ts";

/** Pages that are not made like the others, as they are spelled. */
const spelled = spellings([
  ...[...HOME_PATHS, ...SHORT_ADDRESSES],
  ...[...PAGES_WITH_HEADS, ...FIXED_LIST_PATHS],
]);

export const PLAY_ADDRESSES: AppAddresses = {
  prefix: "",
  notPages: /^\/(api|art|assets|pay|docs|ws)(\/|$)/,
  pageAt(asked) {
    const path = spelled(asked);
    const isPage = path === "/" || path === "/m" || path.startsWith("/m/") || isShortPath(path);
    return isPage ? path : null;
  },
  home: "/m/home",
};

/** What the pages of a site are made of: the brand's own, by the requested host. */
export function sitePages(deps: {
  readonly brands: Brands;
  readonly catalogue: Catalogue;
  readonly announcements: Announcements;
  readonly hotMatches: HotMatches;
  readonly installation: Installation;
  readonly regions: RegionGate<Merchant> | null;
  /** Where a vendor's pages are, if not here; null for one that is not connected, or is here. */
  readonly vendorOrigin: (vendor: string) => string | null;
}): Omit<PagesOptions, "folder" | "clock" | "serviceHosts"> {
  const { brands, catalogue, announcements, hotMatches, installation } = deps;
  const { regions, vendorOrigin } = deps;
  const { publicUrl, imageCdns } = installation;

  async function ofBrand<T>(host: string, make: (merchant: Merchant) => T | Promise<T>) {
    const merchant = await brands.byHost(host);
    return merchant === null ? null : make(merchant);
  }

  return {
    addresses: PLAY_ADDRESSES,
    imageOrigins: imageCdns,
    head: (host, path) => ofBrand(host, (merchant) => pageHead(merchant, publicUrl, path)),
    manifest: (host) => ofBrand(host, ownManifest),
    robots: (host) => ofBrand(host, (merchant) => robotsText(merchant, publicUrl)),
    sitemap: (host) => ofBrand(host, (merchant) => sitemapXml(merchant, publicUrl)),
    shell: async (host, path) => {
      const pictured = imageCdns.length === 0;
      if (path === "/m/hot-games" || path === "/m/search") {
        const hot = await ofBrand(host, async (merchant) =>
          (await catalogue.hot(merchant)).map((game) => gameReply(game, merchant).iconUrl),
        );
        const icons = (hot ?? []).slice(0, HOT_SHOWN);
        return hotOutline({ icons, pictured, tabs: path === "/m/search" });
      }
      const shown = await ofBrand(host, (merchant) =>
        bootAnnouncements(announcements, hotMatches, merchant),
      );
      if (shown === null) return "";
      if (HOME_PATHS.includes(path))
        return homeOutline(firstBanner(shown.home.banners[0], pictured));
      const list = fixedList(screenPath(path));
      if (list === undefined) return "";
      const banner = shown.listBanners.find(({ url }) => url === pageOfType(list.gameType));
      return banner === undefined ? "" : listOutline(firstBanner(banner, pictured));
    },
    frames: async (host, path) => {
      const nodeId = LAUNCH_PATH.exec(path)?.[1];
      if (nodeId === undefined) return [];
      const game = await ofBrand(host, (merchant) => catalogue.game(merchant, Number(nodeId)));
      const origin = game === null ? null : vendorOrigin(game.vendor);
      return origin === null ? [] : [origin];
    },
    regionClosed: async (request) => {
      const closed = (merchant: Merchant) => isRegionClosed(request, merchant, regions);
      return (await ofBrand(request.sender.hostname, closed)) === true;
    },
    boot: (host, regionClosed) =>
      ofBrand(host, async (merchant) => {
        const [hot, vendors, shown] = await Promise.all([
          catalogue.hot(merchant),
          catalogue.vendors(merchant),
          bootAnnouncements(announcements, hotMatches, merchant),
        ]);
        return {
          // The page is shared by all visitors, so it contains nobody's address.
          status: await statusReply(merchant, installation, { address: "", regionClosed }),
          hot: { list: hot.map((game) => gameReply(game, merchant)) },
          vendors: vendorsReply(vendors),
          announcements: shown.home,
          listBanners: shown.listBanners,
        };
      }),
  };
}

/** The page that shows a game in a frame. */
const LAUNCH_PATH = /^\/m\/launch\/(\d{1,9})$/i;

/** As many tiles as any phone shows at once. */
const HOT_SHOWN = 9;

/** The places of home with the first banner: its picture is there before the scripts are. */
function homeOutline(banner: string): string {
  return outline(`<div class="first-page">${banner}<div class="first-line"></div></div>`);
}

/** The places of a list: its search, and the banner of its type. */
function listOutline(banner: string): string {
  return outline(
    `<div class="first-page first-list"><div class="first-line"></div>${banner}</div>`,
  );
}

/** The places of the hot games, with their pictures if no phone picks another host for them. */
function hotOutline(shown: {
  readonly icons: readonly string[];
  readonly pictured: boolean;
  readonly tabs: boolean;
}): string {
  const tiles = shown.icons.map((icon) => {
    const picture = `<img src="${escapeHtml(icon)}" alt="" width="240" height="300">`;
    return `<div class="first-tile">${shown.pictured ? picture : ""}</div>`;
  });
  const line = '<div class="first-line"></div>';
  return outline(
    `<div class="first-page first-list">${line}${shown.tabs ? line : ""}` +
      `<div class="first-games">${tiles.join("")}</div></div>`,
  );
}

function outline(page: string): string {
  return `<div class="app-column"><div class="first-bar"></div>${page}</div>`;
}

/** With its picture if no phone picks another host for it. */
function firstBanner(banner: { readonly scene: string } | undefined, pictured: boolean): string {
  const scene = banner?.scene ?? "";
  if (!/^[a-z-]+$/.test(scene)) return "";
  if (!pictured) return '<div class="first-banner"></div>';
  return (
    `<img class="first-banner" src="/art/banner/${scene}.svg" alt="" width="720" height="300" ` +
    'fetchpriority="high">'
  );
}
