import {
  fieldLook,
  REGISTER_NAMES,
  type RegisterMethod,
  type RegisterValues,
} from "./register-fields.ts";

const STORAGE_KEY = "MC_REGISTER_DRAFT";

/** What of a half-filled form outlives a reload of this tab. */
export interface RegisterDraft {
  readonly method: RegisterMethod | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly values: Partial<RegisterValues>;
  /** The code of the friend's link that the player came by, whatever stands in the field now. */
  readonly linked: string | null;
}

type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;
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

/** With the code of the friend's link that the player came by, whatever was typed before. */
export function withInvitation(draft: RegisterDraft, code: string | undefined): RegisterDraft {
  return code === undefined
    ? draft
    : { ...draft, values: { ...draft.values, affiliateCode: code }, linked: code };
}

/** Passwords, codes and the number of an identity card are never written down. */
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
    // Without storage a reload begins anew.
  }
}

export function dropDraft(store: () => TextStore = tab): void {
  try {
    store().removeItem(STORAGE_KEY);
  } catch {
    // There is none then.
  }
}

function tab(): TextStore {
  return sessionStorage;
}
