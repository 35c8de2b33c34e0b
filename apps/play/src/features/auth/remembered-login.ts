import type { TextStore } from "@perya/client/browser-storage";
/** A remembered log-in as local storage has it; the field `password` is encoded twice. */
export interface RememberedLogin {
  readonly type: "username" | "sms";
  /** A name, or the digits of a mobile number. */
  readonly username: string;
  /** Empty for a log-in by SMS, whose code is valid once. */
  readonly password: string;
  readonly countryDialingCode: string;
}

/** Holds the one key; a browser's lies in IndexedDB, from which no script can export it. */
export interface KeyKeeper {
  /** Rejects where the browser has not answered within `patienceMs`. */
  load(patienceMs: number): Promise<CryptoKey | null>;
  keep(key: CryptoKey): Promise<void>;
  drop(): Promise<void>;
}

export interface RememberedLogins {
  /** Null where nothing is remembered, or where it can no longer be read. */
  read(): Promise<RememberedLogin | null>;
  remember(login: RememberedLogin): Promise<void>;
  /** A new password replaces the remembered one of this name. */
  changePassword(username: string, password: string): Promise<void>;
  /** After a sign-out: the name is filled in next time, and the password is deleted everywhere. */
  forgetPassword(): Promise<void>;
  forget(): void;
}

const STORAGE_KEY = "MC_REMEMBERED_LOGIN";
const ALGORITHM = "AES-GCM";
/** The size that AES-GCM is designed for; a fresh one for every password. */
const IV_BYTES = 12;
/** Some browsers leave a request unanswered for as long as their page lives; a form waits for it. */
const READ_MS = 1_000;
/** Nothing waits for what is written, and a busy phone needs seconds. */
const WRITE_MS = 15_000;

/**
 * Remembers the last log-in until its player signs out. Its password is sealed by AES-GCM under a
 * key that cannot leave the browser, then written as base64: a copy of the storage alone reveals
 * nothing.
 */
export function createRememberedLogins(store: () => TextStore, keys: KeyKeeper): RememberedLogins {
  async function read(): Promise<RememberedLogin | null> {
    const stored = readStored(store);
    if (stored === null) return null;
    if (stored.password === "") return stored;
    try {
      const key = await keys.load(READ_MS);
      return key === null
        ? { ...stored, password: "" }
        : { ...stored, password: await unsealed(key, stored.password) };
    } catch {
      // Another browser's key, or a text that was tampered with: the name alone is filled in.
      return { ...stored, password: "" };
    }
  }

  async function remember(login: RememberedLogin): Promise<void> {
    try {
      const password =
        login.password === "" ? "" : await sealed(await ownKey(keys), login.password);
      store().setItem(STORAGE_KEY, JSON.stringify({ ...login, password }));
    } catch {
      // Without storage or a key, the player types the next log-in in full.
      forget();
    }
  }

  function forget(): void {
    try {
      store().removeItem(STORAGE_KEY);
    } catch {
      // Nothing was remembered then.
    }
  }

  return {
    read,
    remember,
    forget,
    async forgetPassword() {
      const stored = readStored(store);
      try {
        // Before any wait: the player is leaving.
        if (stored !== null) {
          store().setItem(STORAGE_KEY, JSON.stringify({ ...stored, password: "" }));
        }
      } catch {
        forget();
      }
      try {
        await keys.drop();
      } catch {
        // The remaining key no longer seals anything.
      }
    },
    async changePassword(username, password) {
      const stored = readStored(store);
      if (stored?.type !== "username" || !sameName(stored.username, username)) return;
      // After a sign-out no password is remembered until a log-in asks for it.
      if (stored.password === "") return;
      await remember({ ...stored, password });
    },
  };
}

export const rememberedLogins = createRememberedLogins(() => localStorage, indexedDbKeys());

async function ownKey(keys: KeyKeeper): Promise<CryptoKey> {
  const known = await keys.load(WRITE_MS);
  if (known !== null) return known;
  const made = await crypto.subtle.generateKey({ name: ALGORITHM, length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
  await keys.keep(made);
  return made;
}

async function sealed(key: CryptoKey, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const cipher = await crypto.subtle.encrypt(
    { name: ALGORITHM, iv },
    key,
    new TextEncoder().encode(text),
  );
  return btoa(String.fromCharCode(...iv, ...new Uint8Array(cipher)));
}

async function unsealed(key: CryptoKey, text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const plain = await crypto.subtle.decrypt(
    { name: ALGORITHM, iv: bytes.subarray(0, IV_BYTES) },
    key,
    bytes.subarray(IV_BYTES),
  );
  return new TextDecoder().decode(plain);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function readStored(store: () => TextStore): RememberedLogin | null {
  try {
    const value: unknown = JSON.parse(store().getItem(STORAGE_KEY) ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const text = (name: string) => {
      const held: unknown = Reflect.get(value, name);
      return typeof held === "string" ? held : "";
    };
    const username = text("username");
    if (username === "") return null;
    return {
      type: text("type") === "sms" ? "sms" : "username",
      username,
      password: text("password"),
      countryDialingCode: text("countryDialingCode"),
    };
  } catch {
    // Storage is forbidden or holds something else: nothing to fill in.
    return null;
  }
}

const DATABASE = "perya";
const TABLE = "keys";
const KEY_NAME = "remembered-login";

function indexedDbKeys(): KeyKeeper {
  return {
    load: async (patienceMs) => {
      const value = await inTable("readonly", patienceMs, (table) => table.get(KEY_NAME));
      return value instanceof CryptoKey ? value : null;
    },
    keep: async (key) => {
      await inTable("readwrite", WRITE_MS, (table) => table.put(key, KEY_NAME));
    },
    drop: () => inTable("readwrite", WRITE_MS, (table) => table.delete(KEY_NAME)),
  };
}

async function inTable<T>(
  mode: IDBTransactionMode,
  patienceMs: number,
  ask: (table: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(TABLE);
  const database = await answered(opening, patienceMs).catch((error: unknown) => {
    // If it opens after all, it is closed again.
    opening.onsuccess = () => opening.result.close();
    throw error;
  });
  try {
    return await answered(ask(database.transaction(TABLE, mode).objectStore(TABLE)), patienceMs);
  } finally {
    database.close();
  }
}

function answered<T>(request: IDBRequest<T>, patienceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const silent = () => reject(new Error("IndexedDB did not answer"));
    const timer = setTimeout(silent, patienceMs);
    request.onsuccess = () => {
      clearTimeout(timer);
      resolve(request.result);
    };
    request.onerror = () => {
      clearTimeout(timer);
      reject(request.error);
    };
  });
}
