import { headOf, homeHead, PAGES_WITH_HEADS } from "@perya/contract/page-heads";
import { canonicalPath } from "@perya/contract/page-paths";
import { keyOfPath } from "@perya/contract/permission-keys";
import { originsOf } from "./addresses.ts";
import { isOn, type Merchant } from "./merchant.ts";

export function pageHead(merchant: Merchant, publicUrl: string, path: string) {
  const { defaultLanguage, name, settings } = merchant;
  const brand = { name, minimumAge: settings.minimumAge };
  const [origin, ...others] = originsOf(merchant, publicUrl);
  return {
    ...(headOf(path, defaultLanguage, brand) ?? homeHead(defaultLanguage, brand)),
    brand: name,
    canonical: origin + canonicalPath(path),
    // The picker of servers times each of the brand's addresses from any of them.
    connectsTo: [origin, ...others],
    language: tagOf(defaultLanguage),
  };
}

/** The brand's own part of the application's manifest (W3C): its name on a phone. */
export function ownManifest({ defaultLanguage, name, settings }: Merchant) {
  const { description } = homeHead(defaultLanguage, { name, minimumAge: settings.minimumAge });
  return { name, short_name: name, description, lang: tagOf(defaultLanguage) };
}

/** `robots.txt`: everything but the interface and the payment pages may be read. */
export function robotsText(merchant: Merchant, publicUrl: string): string {
  const [origin] = originsOf(merchant, publicUrl);
  const rules = [
    "User-agent: *",
    "Disallow: /api/",
    "Disallow: /pay/",
    "Disallow: /sandbox/",
    "Allow: /",
  ];
  return `${[...rules, "", `Sitemap: ${origin}/sitemap.xml`].join("\n")}\n`;
}

/** `sitemap.xml` (sitemaps.org 0.9): every page that anyone may find, by its one address. */
export function sitemapXml(merchant: Merchant, publicUrl: string): string {
  const [origin] = originsOf(merchant, publicUrl);
  const shown = PAGES_WITH_HEADS.filter((page) => {
    const key = keyOfPath(page);
    return key === null || isOn(merchant, key);
  });
  const urls = shown.map((page) => `  <url><loc>${origin}${canonicalPath(page)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    "</urlset>\n",
  ].join("\n");
}

/** BCP 47. */
function tagOf(language: string): string {
  return language === "TY" ? "fil" : "en";
}
