import type { TextStore } from "@perya/client/browser-storage";
import {
  fieldLook,
  REGISTER_NAMES,
  type RegisterMethod,
  type RegisterValues,
} from "./register-fields.ts";

const STORAGE_KEY = "MC_REGISTER_DRAFT";

/** The part of a half-filled form that survives a reload of this tab. */
export interface RegisterDraft {
  readonly method: RegisterMethod | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly values: Partial<RegisterValues>;
  /** The code of the friend's link that the player followed, whatever the field holds now. */
  readonly linked: string | null;
}

const NAMES = REGISTER_NAMES.filter((name) => fieldLook(name).secret !== true);

export function readDraft(store: () => TextStore = tab): RegisterDraft {
  const none: RegisterDraft = { method: null, country: null, values: {}, linked: null };
  try {
    const kept: unknown = JSON.parse(store().getItem(STORAGE_KEY) ?? "null");
    if (typeof kept !== "object" || kept === null) return none;
    const text = (name: string): string | null => {
      const value: unknown = Reflect.get(kept, name);
      return typeof value === "string" ? value : null;
    };
    const method = text("method");
    const values: Partial<RegisterValues> = {};
    for (const name of NAMES) {
      const value = text(name);
      if (value !== null) values[name] = value;
    }
    return {
      method: method === "mobile" || method === "username" ? method : null,
      country: text("country"),
      values,
      linked: text("linked"),
    };
  } catch {
    return none;
  }
}

/** The draft with the code of the friend's link; it replaces a code that was typed before. */
export function withInvitation(draft: RegisterDraft, code: string | undefined): RegisterDraft {
  return code === undefined
    ? draft
    : { ...draft, values: { ...draft.values, affiliateCode: code }, linked: code };
}

/** Passwords, codes and identity card numbers are never stored. */
export function keepDraft(draft: RegisterDraft, store: () => TextStore = tab): void {
  const { method, country, linked } = draft;
  const kept: Record<string, string | null> = { method, country, linked };
  for (const name of NAMES) {
    const value = draft.values[name] ?? "";
    if (value !== "") kept[name] = value;
  }
  try {
    store().setItem(STORAGE_KEY, JSON.stringify(kept));
  } catch {
    // Without storage a reload begins again.
  }
}

export function dropDraft(store: () => TextStore = tab): void {
  try {
    store().removeItem(STORAGE_KEY);
  } catch {
    // No draft exists then.
  }
}

function tab(): TextStore {
  return sessionStorage;
}
