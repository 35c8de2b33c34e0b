import type { Reply } from "@perya/client/api";
import { type ClientConfig, clientConfig } from "./client-config.ts";
import { queries, queryClient } from "./server.ts";
import { currentLanguage } from "./text.ts";

/** What the server writes into the page beside the app, so that home needs no request. */
interface BootData {
  /** In which language the lists below are; the brand's default where it is absent. */
  readonly language?: string;
  readonly status?: Reply<"GET /api/v1/status">;
  readonly hot?: Reply<"GET /api/v1/games/hot">;
  readonly announcements?: Reply<"GET /api/v1/announcements">;
  readonly vendors?: Reply<"GET /api/v1/vendors">;
}

const STATUS_KEY = "MC_STATUS";
/** This file's own address, hash and all: another build may expect another shape. */
const BUILD = import.meta.url;

export function bootConfig(): ClientConfig {
  return clientConfig(readBoot().status?.info);
}

/** Puts the page's own data into the query cache; where there is none, home asks for it. */
export function seedQueries(): void {
  const boot = readBoot();
  const remembered = boot.status === undefined ? readRemembered() : null;
  if (boot.status !== undefined) {
    queryClient.setQueryData(queries.status().queryKey, boot.status);
  } else if (remembered !== null) {
    // Used at once, then refreshed: a status of another day may be out of date.
    queryClient.setQueryData(queries.status().queryKey, remembered, { updatedAt: 0 });
  }
  const language = currentLanguage();
  if ((boot.language ?? clientConfig(boot.status?.info).defaultLanguage) !== language) return;
  if (boot.hot !== undefined) queryClient.setQueryData(queries.hot(language).queryKey, boot.hot);
  if (boot.vendors !== undefined) {
    queryClient.setQueryData(queries.vendors(language).queryKey, boot.vendors);
  }
  if (boot.announcements !== undefined) {
    queryClient.setQueryData(queries.announcements(language).queryKey, boot.announcements);
  }
}

/** Keeps the last status for the next start. */
export function rememberStatus(): void {
  const key = JSON.stringify(queries.status().queryKey);
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || JSON.stringify(query.queryKey) !== key) return;
    const { data, status } = query.state;
    if (status !== "success") return;
    try {
      localStorage.setItem(STATUS_KEY, JSON.stringify({ build: BUILD, status: data }));
    } catch {
      // Without storage the next start asks the server.
    }
  });
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

function readRemembered(): BootData["status"] | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STATUS_KEY) ?? "null");
    const ours = typeof value === "object" && value !== null && "build" in value;
    if (!ours || value.build !== BUILD || !("status" in value)) return null;
    // Written by rememberStatus of this very build from the server's own answer.
    return value.status as BootData["status"];
  } catch (error) {
    console.warn("the remembered status cannot be read", error);
    return null;
  }
}
