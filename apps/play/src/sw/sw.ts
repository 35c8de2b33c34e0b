/// <reference lib="webworker" />
import {
  dropOtherShells,
  fillShell,
  keepFile,
  keptFile,
  keptPage,
  SHELL_PREFIX,
  type Shelf,
} from "./kept-files.ts";

declare const self: ServiceWorkerGlobalScope;

/** The build puts the first screen's files here, its entry first; a new list is a new cache. */
const FILES: readonly string[] = JSON.parse("__PRECACHE__");
const SHELL_PAGE = "/m/offline";
const OWN_ART = ["/icons/mark.svg", "/scenes/offline.svg", "/scenes/error.svg"];
const SHELL_CACHE = `${SHELL_PREFIX}${nameOf(FILES)}`;
/** A page that has not begun after this on a poor network is answered from the cache. */
const PAGE_TIMEOUT_MS = 4_000;

self.addEventListener("install", (event) => {
  event.waitUntil(install().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const tidied = dropOtherShells(caches, SHELL_CACHE, 1).catch((error) => {
    console.warn("earlier shells cannot be dropped", error);
  });
  event.waitUntil(tidied.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (isOurPage(url.pathname)) event.respondWith(answerPage(request));
    return;
  }
  // Nothing of the interface is ever kept: it is one player's own, and it must be true.
  if (url.pathname.startsWith("/assets/")) {
    event.respondWith(cacheFirst(event, "assets"));
  } else if (/^\/(art|icons|scenes)\//.test(url.pathname)) {
    event.respondWith(cacheFirst(event, "art"));
  }
});

/**
 * Keeps the page and its scripts, without which nothing opens offline, then letters and pictures.
 * On a phone that has no room for them the worker does without: it still answers.
 */
async function install(): Promise<void> {
  const page = await fetch(SHELL_PAGE);
  // Another version that serves beside this one has other scripts: the browser tries again later.
  const ours = page.ok && (await page.clone().text()).includes(FILES[0] ?? "");
  if (!ours) throw new TypeError("the page is not of this build");
  const kept = await keptPage(page);
  const scripts = FILES.filter((file) => file.endsWith(".js"));
  const hasRoom = await fillShell(caches, SHELL_CACHE, async (cache) => {
    await cache.addAll(scripts);
    await cache.put(SHELL_PAGE, kept.clone());
  });
  if (!hasRoom) return;
  const rest = FILES.filter((file) => !scripts.includes(file));
  await fillShell(caches, SHELL_CACHE, (cache) => cache.addAll([...rest, ...OWN_ART]));
}

/** The payment provider's pages and the documentation do not belong to the app. */
function isOurPage(path: string): boolean {
  return path === "/" || path === "/m" || path.startsWith("/m/");
}

async function answerPage(request: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PAGE_TIMEOUT_MS);
  try {
    const answer = await fetch(request, { signal: late.signal });
    // A server that is too busy for its page may still answer the app's calls, one by one.
    return answer.status < 500 ? answer : ((await shellPage()) ?? answer);
  } catch {
    return (await shellPage()) ?? Response.error();
  } finally {
    // A page that has begun is on its way: the signal would still cut off its end.
    clearTimeout(timer);
  }
}

/** The same app for every address: it shows the page asked for with what it has. */
async function shellPage(): Promise<Response | undefined> {
  const own = await keptFile(caches, SHELL_PAGE, { cacheName: SHELL_CACHE });
  return own ?? keptFile(caches, SHELL_PAGE);
}

/** Answers first, even if the file cannot be kept. */
async function cacheFirst(event: FetchEvent, shelf: Shelf): Promise<Response> {
  const { request } = event;
  const kept = await keptFile(caches, request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) {
    event.waitUntil(keepFile(caches, SHELL_CACHE, shelf, request, response.clone()));
  }
  return response;
}

function nameOf(files: readonly string[]): string {
  let hash = 0;
  for (const char of files.join()) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
  return (hash >>> 0).toString(36);
}
