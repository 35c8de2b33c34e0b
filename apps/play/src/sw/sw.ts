/// <reference lib="webworker" />
export {};

declare const self: ServiceWorkerGlobalScope;

/** The build puts the first screen's files here; a new list is a new cache. */
const FILES: readonly string[] = JSON.parse("__PRECACHE__");
const SHELL_PAGE = "/m/offline";
const OWN_ART = ["/icons/mark.svg", "/scenes/offline.svg", "/scenes/error.svg"];
const SHELL_CACHE = `shell-${nameOf(FILES)}`;
const ASSET_CACHE = "assets";
const ART_CACHE = "art";
const ASSETS_MAX = 120;
const ART_MAX = 400;
/** A page that takes longer than this on a poor network is answered from the cache. */
const PAGE_TIMEOUT_MS = 4_000;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL_CACHE)
      .then((cache) => cache.addAll([...FILES, ...OWN_ART, SHELL_PAGE]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith("shell-") && name !== SHELL_CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
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
    event.respondWith(cacheFirst(request, ASSET_CACHE, ASSETS_MAX));
  } else if (/^\/(art|icons|scenes)\//.test(url.pathname)) {
    event.respondWith(cacheFirst(request, ART_CACHE, ART_MAX));
  }
});

/** The payment provider's pages and the documentation are none of ours. */
function isOurPage(path: string): boolean {
  return path === "/" || path === "/m" || path.startsWith("/m/");
}

async function answerPage(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
  } catch {
    // The same app for every address: it shows the page asked for with what it has.
    return (await caches.match(SHELL_PAGE)) ?? Response.error();
  }
}

async function cacheFirst(request: Request, name: string, max: number): Promise<Response> {
  const kept = await caches.match(request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) {
    const cache = await caches.open(name);
    await cache.put(request, response.clone());
    await dropOldest(cache, max);
  }
  return response;
}

/** Keys come in the order in which they were put in. */
async function dropOldest(cache: Cache, max: number): Promise<void> {
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - max)).map((key) => cache.delete(key)));
}

function nameOf(files: readonly string[]): string {
  let hash = 0;
  for (const char of files.join()) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
  return (hash >>> 0).toString(36);
}
