/** Where files are kept for later: as much of the browser's caches as is used. */
export type Stores = Pick<CacheStorage, "open" | "keys" | "delete" | "match">;

/** Begins the name of a cache that holds the first screen of one build. */
export const SHELL_PREFIX = "shell-";
/** What is fetched again when it is missing, and how many of each are kept. */
const SHELF_MAX = { assets: 120, art: 400 } as const;
export type Shelf = keyof typeof SHELF_MAX;

/**
 * The page as it is kept to be opened later. It holds data of today, and is marked as stored, so that
 * a later start does not take the data for new.
 * @param page is read
 */
export async function keptPage(page: Response): Promise<Response> {
  const html = (await page.text()).replace('id="boot"', 'id="boot" data-kept');
  const headers = new Headers(page.headers);
  // Of the bytes as they travelled.
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(html, { headers });
}

/** Undefined too where the storage cannot be read. */
export async function keptFile(
  stores: Stores,
  file: Request | string,
  options?: MultiCacheQueryOptions,
): Promise<Response | undefined> {
  return stores.match(file, options).catch(() => undefined);
}

/**
 * Keeps a file on the side of its answer. A storage that takes no more is emptied of all but the
 * shell, so that it takes the next one.
 */
export async function keepFile(
  stores: Stores,
  shell: string,
  shelf: Shelf,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    const cache = await stores.open(shelf);
    await cache.put(request, response);
    await dropOldest(cache, SHELF_MAX[shelf]);
  } catch (error) {
    console.warn(`${request.url} cannot be kept`, error);
    if (isStorageFault(error)) await makeRoom(stores, shell);
  }
}

/**
 * Fills a shell, in room that is made where there is none.
 * @returns false for a storage that is too small or forbidden
 * @throws what the network threw
 */
export async function fillShell(
  stores: Stores,
  shell: string,
  fill: (cache: Cache) => Promise<void>,
): Promise<boolean> {
  const roomFrom = [
    () => undefined,
    () => dropShelves(stores),
    // Last: an earlier build that opens without a network is better than none.
    () => dropOtherShells(stores, shell),
  ];
  for (const makeRoom of roomFrom) {
    try {
      await makeRoom();
      await fill(await stores.open(shell));
      return true;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
  }
  return false;
}

/**
 * Drops the shells of other builds but for as many of the last as said: while two versions serve
 * side by side, a page of the other may still come.
 */
export async function dropOtherShells(stores: Stores, shell: string, stay = 0): Promise<void> {
  // In the order in which they were made.
  const names = await stores.keys();
  const others = names.filter((name) => name.startsWith(SHELL_PREFIX) && name !== shell);
  const old = others.slice(0, Math.max(0, others.length - stay));
  await Promise.all(old.map((name) => stores.delete(name)));
}

/** A storage that cannot even be emptied is nothing that a page should hear of. */
async function makeRoom(stores: Stores, shell: string): Promise<void> {
  await Promise.allSettled([dropShelves(stores), dropOtherShells(stores, shell)]);
}

async function dropShelves(stores: Stores): Promise<void> {
  await Promise.all(Object.keys(SHELF_MAX).map((name) => stores.delete(name)));
}

/** Keys come in the order in which they were put in. */
async function dropOldest(cache: Cache, max: number): Promise<void> {
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - max)).map((key) => cache.delete(key)));
}

/** A network that fails throws a TypeError; a storage that is full or forbidden, one of these. */
function isStorageFault(error: unknown): boolean {
  return error instanceof DOMException;
}
