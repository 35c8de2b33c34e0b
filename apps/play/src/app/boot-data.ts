import type { Reply } from "@perya/client/api";
import { writeStorage } from "@perya/client/browser-storage";
import { LOTTERY_MENUS } from "@perya/client/queries/lottery-menus";
import { moneyReplacer, moneyReviver } from "@perya/kernel/money";
import { hashKey } from "@tanstack/react-query";
import { type ClientConfig, clientConfig } from "../shell/client-config.ts";
import { api, queries, queryClient } from "../shell/server.ts";
import { currentLanguage } from "../shell/text.ts";

/** The data that the server writes into the page beside the app, so that home needs no request. */
interface BootData {
  /** When it was written, by the server's clock, in milliseconds. */
  readonly at?: number;
  /** The language of the lists below; the brand's default where it is absent. */
  readonly language?: string;
  readonly status?: Reply<"GET /api/v1/status">;
  readonly hot?: Reply<"GET /api/v1/games/hot">;
  readonly vendors?: Reply<"GET /api/v1/vendors">;
  readonly announcements?: Reply<"GET /api/v1/announcements">;
  readonly listBanners?: Reply<"GET /api/v1/announcements">["banners"];
}

/** Stored for the next start, by the first word of the query's key (games §7, accounts §2.13). */
const KEPT: Readonly<Record<string, string>> = {
  status: "MC_STATUS",
  vendors: "MC_VENDORS",
  // The specification's own names for the lotteries' menus.
  lottList: "lottList",
  elottList: "elottList",
  getGameLotts: "getGameLotts",
};
/** This file's own address, with its hash: another build may expect another shape. */
const BUILD = import.meta.url;
/** A page further off was cached by the browser, or the phone's clock is wrong. */
const FRESH_MS = 5 * 60_000;

interface Said {
  readonly data: object;
  /** By the server's clock, in milliseconds: the data are no older than this. */
  readonly at: number;
}

/** The time of a query's first data, by the data. */
const begun = new WeakMap<object, number>();
/** The newest such time. */
let begunAt = 0;

export function bootConfig(): ClientConfig {
  const { queryKey } = queries.status();
  const boot = readBoot();
  const first = chosen(boot, asSaid(boot.status, boot), readKept(queryKey))?.data;
  // By its key it is a status.
  return clientConfig((first as BootData["status"])?.info);
}

/**
 * Puts the page's own data into the query cache, or newer data that the last visit stored. Data
 * that are not current are used at once and then refreshed.
 */
export function seedQueries(): void {
  const boot = readBoot();
  const language = currentLanguage();
  const own = (boot.language ?? clientConfig(boot.status?.info).defaultLanguage) === language;
  const ofLanguage = <T extends object>(data: T | undefined) => (own ? data : undefined);
  seed(boot, queries.status().queryKey, boot.status);
  seed(boot, queries.vendors(language).queryKey, ofLanguage(boot.vendors));
  for (const prizeMode of LOTTERY_MENUS) seed(boot, queries.lotteryMenu(prizeMode).queryKey);
  seed(boot, queries.hot(language).queryKey, ofLanguage(boot.hot));
  seed(boot, queries.announcements(language).queryKey, ofLanguage(boot.announcements));
  seed(boot, queries.listBanners(language).queryKey, ofLanguage(boot.listBanners));
}

function seed(boot: BootData, queryKey: readonly string[], brought?: object): void {
  const own = asSaid(brought, boot);
  const first = chosen(boot, own, readKept(queryKey));
  if (first === undefined) return;
  begun.set(first.data, first.at);
  begunAt = Math.max(begunAt, first.at);
  const isFresh = first === own && isOfNow(boot);
  queryClient.setQueryData(queryKey, first.data, isFresh ? {} : { updatedAt: 0 });
}

function asSaid(data: object | undefined, { at = 0 }: BootData): Said | undefined {
  return data === undefined ? undefined : { data, at };
}

/** The newer one; data newer than a current page were stored under a fast clock. */
function chosen(boot: BootData, brought?: Said, kept?: Said): Said | undefined {
  if (brought === undefined || kept === undefined) return brought ?? kept;
  const isAhead = isOfNow(boot) && kept.at > brought.at + FRESH_MS;
  return kept.at > brought.at && !isAhead ? kept : brought;
}

/** The service worker's page is as old as its fetch, whatever the phone's clock says. */
function isOfNow({ at = 0 }: BootData): boolean {
  const isKept = document.getElementById("boot")?.dataset.kept !== undefined;
  return !isKept && Math.abs(api.serverNow() - at) < FRESH_MS;
}

/** From now on, stores the last status, vendors and lottery menus for the next start. */
export function keepForNextStart(): void {
  queryClient.getQueryCache().subscribe((event) => {
    const { queryKey, queryHash, state } = event.query;
    const name = KEPT[String(queryKey[0])];
    // A call that only begins or fails has no data: another tab may have stored newer ones.
    const isSaid = event.type === "updated" && event.action.type === "success";
    if (name === undefined || !isSaid) return;
    const { data, dataUpdatedAt } = state;
    // As long after the page's beginning as the phone counted: its clock may be wrong.
    const at = begun.get(data) ?? begunAt + dataUpdatedAt - performance.timeOrigin;
    writeStorage(
      "localStorage",
      name,
      JSON.stringify({ build: BUILD, key: queryHash, at, data }, moneyReplacer),
    );
  });
}

/** The data that keepForNextStart of this very build stored under this very key, or undefined. */
function readKept(queryKey: readonly string[]): Said | undefined {
  const name = KEPT[String(queryKey[0])];
  if (name === undefined) return undefined;
  try {
    const text = localStorage.getItem(name);
    if (text === null) return undefined;
    const { build, key, at, data } = JSON.parse(text, moneyReviver);
    if (typeof build !== "string") throw new Error("nothing that was kept here");
    if (build !== BUILD || key !== hashKey(queryKey)) return undefined;
    if (typeof at !== "number" || !isWhole(name, data)) throw new Error("parts are missing");
    return { at, data };
  } catch (error) {
    console.warn(`${name} cannot be read`, error);
    writeStorage("localStorage", name, null);
    return undefined;
  }
}

/** Everything on the first screen reads the status without a check. */
function isWhole(name: string, data: unknown): data is object {
  if (typeof data !== "object" || data === null) return false;
  if (name !== KEPT.status) return true;
  const info = "info" in data && typeof data.info === "object" ? data.info : null;
  return info !== null && "closedPaths" in info && Array.isArray(info.closedPaths);
}

function readBoot(): BootData {
  const text = document.getElementById("boot")?.textContent ?? "";
  try {
    const value: unknown = JSON.parse(text, moneyReviver);
    // Our own server wrote it into our own page.
    return typeof value === "object" && value !== null ? (value as BootData) : {};
  } catch {
    // A page that was not filled in by the server holds no data.
    return {};
  }
}
