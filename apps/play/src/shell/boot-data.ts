import type { Reply } from "@perya/client/api";
import { LOTTERY_MENUS } from "@perya/client/queries";
import { hashKey } from "@tanstack/react-query";
import { type ClientConfig, clientConfig } from "./client-config.ts";
import { queries, queryClient } from "./server.ts";
import { currentLanguage } from "./text.ts";

/** What the server writes into the page beside the app, so that home needs no request. */
interface BootData {
  /** In which language the lists below are; the brand's default where it is absent. */
  readonly language?: string;
  readonly status?: Reply<"GET /api/v1/status">;
  readonly hot?: Reply<"GET /api/v1/games/hot">;
  readonly vendors?: Reply<"GET /api/v1/vendors">;
  readonly announcements?: Reply<"GET /api/v1/announcements">;
  readonly listBanners?: Reply<"GET /api/v1/announcements">["banners"];
}

/** What is kept for the next start, by the first word of its query's key (games §7, accounts §2.13). */
const KEPT: Readonly<Record<string, string>> = {
  status: "MC_STATUS",
  vendors: "MC_VENDORS",
  // The specification's own names for the lotteries' menus.
  lottList: "lottList",
  elottList: "elottList",
  getGameLotts: "getGameLotts",
};
/** This file's own address, hash and all: another build may expect another shape. */
const BUILD = import.meta.url;

export function bootConfig(): ClientConfig {
  return clientConfig(readBoot().status?.info);
}

/**
 * Puts the page's own data into the query cache, else what the last visit left, which is used at
 * once and then refreshed: what is of another day may be out of date.
 */
export function seedQueries(): void {
  const boot = readBoot();
  const language = currentLanguage();
  const own = (boot.language ?? clientConfig(boot.status?.info).defaultLanguage) === language;
  seed(queries.status().queryKey, boot.status);
  seed(queries.vendors(language).queryKey, own ? boot.vendors : undefined);
  for (const prizeMode of LOTTERY_MENUS) {
    seed(queries.lotteryMenu(prizeMode).queryKey, undefined);
  }
  if (own && boot.hot !== undefined) {
    queryClient.setQueryData(queries.hot(language).queryKey, boot.hot);
  }
  if (own && boot.announcements !== undefined) {
    queryClient.setQueryData(queries.announcements(language).queryKey, boot.announcements);
  }
  if (own && boot.listBanners !== undefined) {
    queryClient.setQueryData(queries.listBanners(language).queryKey, boot.listBanners);
  }
}

function seed(queryKey: readonly string[], fresh: unknown): void {
  if (fresh !== undefined) {
    queryClient.setQueryData(queryKey, fresh);
    return;
  }
  const kept = readKept(queryKey);
  if (kept !== undefined) queryClient.setQueryData(queryKey, kept, { updatedAt: 0 });
}

/** Keeps the last status, vendors and lottery menus for the next start. */
export function keepForNextStart(): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    const name = KEPT[String(query.queryKey[0])];
    if (name === undefined || type !== "updated" || query.state.status !== "success") return;
    const kept = { build: BUILD, key: query.queryHash, data: query.state.data };
    try {
      localStorage.setItem(name, JSON.stringify(kept));
    } catch {
      // Without storage the next start asks the server.
    }
  });
}

/** What keepForNextStart of this very build kept under this very key; undefined without it. */
function readKept(queryKey: readonly string[]): unknown {
  const name = KEPT[String(queryKey[0])] ?? "";
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? "null");
    if (typeof value !== "object" || value === null) return undefined;
    const ours = "build" in value && value.build === BUILD;
    return ours && "key" in value && value.key === hashKey(queryKey) && "data" in value
      ? value.data
      : undefined;
  } catch (error) {
    console.warn(`${name} cannot be read`, error);
    return undefined;
  }
}

function readBoot(): BootData {
  const text = document.getElementById("boot")?.textContent ?? "";
  try {
    const value: unknown = JSON.parse(text);
    // Our own server wrote it into our own page.
    return typeof value === "object" && value !== null ? (value as BootData) : {};
  } catch {
    // A page that was not filled in by the server holds no data.
    return {};
  }
}
