/** The used part of a browser's storage; tests pass their own. */
export interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Storage can be forbidden or full; the texts then last as long as the page. */
export function tabStore(): TextStore {
  try {
    return guarded(sessionStorage);
  } catch {
    return memoryStore();
  }
}

/** For choices that outlive the tab: the last stake, quick spin. */
export function deviceStore(): TextStore {
  try {
    return guarded(localStorage);
  } catch {
    return memoryStore();
  }
}

export function memoryStore(): TextStore {
  const texts = new Map<string, string>();
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
    removeItem: (key) => void texts.delete(key),
  };
}

/** A text without room in the storage is kept in memory; its old value there is deleted. */
function guarded(storage: Storage): TextStore {
  const spare = memoryStore();
  return {
    getItem: (key) => spare.getItem(key) ?? storage.getItem(key),
    setItem: (key, value) => {
      try {
        storage.setItem(key, value);
        spare.removeItem(key);
      } catch {
        storage.removeItem(key);
        spare.setItem(key, value);
      }
    },
    removeItem: (key) => {
      storage.removeItem(key);
      spare.removeItem(key);
    },
  };
}

export type StorageName = "localStorage" | "sessionStorage";

/** Null also where storage is forbidden. */
export function readStorage(where: StorageName, key: string): string | null {
  try {
    return globalThis[where].getItem(key);
  } catch {
    return null;
  }
}

/** Null deletes it. Returns whether storage took it. */
export function writeStorage(where: StorageName, key: string, value: string | null): boolean {
  try {
    if (value === null) globalThis[where].removeItem(key);
    else globalThis[where].setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Null for a text that is not JSON. */
export function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
