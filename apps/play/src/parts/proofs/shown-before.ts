import type { TextStore } from "@perya/client/browser-storage";

/** The kinds of data shown before a result can be known, and how many of each are kept. */
const KEPT = {
  ...{ chain: 20, key: 1, flight: 200 },
  // Of a pair of seeds: the server seed's hash, and the client seed.
  ...{ pair: 60, client: 60 },
  ...{ fight: 200, draw: 200, fixture: 400 },
};
export type ShownKind = keyof typeof KEPT;

export interface Shown {
  readonly text: string;
  /** When this device was first shown it, by the server's clock. */
  readonly at: number;
}

/**
 * What this device was shown while it could still be bet on, which no later answer changes: a proof
 * that takes its hash from the answer that it checks proves nothing. The first text stays, and the
 * oldest are dropped.
 */
export class ShownBefore {
  readonly #store: TextStore;
  readonly #now: () => number;

  constructor(store: TextStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  keep(kind: ShownKind, shown: readonly (readonly [id: string, text: string])[]): void {
    // Read each time: another tab keeps its own.
    const kept = this.#read(kind);
    const known = new Set(kept.map(([id]) => id));
    const at = this.#now();
    const fresh = shown.filter(([id]) => !known.has(id)).map(([id, text]): Entry => [id, text, at]);
    if (fresh.length === 0) return;
    this.#store.setItem(keyOf(kind), JSON.stringify([...kept, ...fresh].slice(-KEPT[kind])));
  }

  find(kind: ShownKind, id: string): Shown | null {
    const found = this.#read(kind).find(([one]) => one === id);
    return found === undefined ? null : { text: found[1], at: found[2] };
  }

  #read(kind: ShownKind): Entry[] {
    try {
      const value: unknown = JSON.parse(this.#store.getItem(keyOf(kind)) ?? "[]");
      return Array.isArray(value) ? value.filter(isEntry) : [];
    } catch {
      // Something else wrote it: nothing was shown.
      return [];
    }
  }
}

type Entry = [id: string, text: string, at: number];

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [id, text, at]: unknown[] = value;
  return typeof id === "string" && typeof text === "string" && typeof at === "number";
}

function keyOf(kind: ShownKind): string {
  return `MC_SHOWN:${kind}`;
}

/** The inputs of a match: its seed, and the chances that it is played by. */
export function fixtureText(fixture: {
  readonly seedHash: string;
  readonly chances: { readonly home: number; readonly away: number };
}): string {
  const { seedHash, chances } = fixture;
  return `${seedHash} ${chances.home} ${chances.away}`;
}

/**
 * The verdict on a result recomputed here: `unshown` where its seeds fit, but this device was shown
 * nothing before that proves that they were fixed by then.
 */
export function verdictOn(
  shown: Shown | null,
  claimed: string,
  fits: boolean,
): "good" | "bad" | "unshown" {
  if (!fits || (shown !== null && shown.text !== claimed)) return "bad";
  return shown === null ? "unshown" : "good";
}
