import { assert } from "@perya/kernel/assert";
import type { Clock, Instant } from "@perya/kernel/instant";
import { MINUTE_MS, SECOND_MS, stillStands } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";
import { isCurrency } from "@perya/kernel/money";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { Unavailable } from "../../platform/unavailable.ts";
import {
  findMerchantByHost,
  findMerchantById,
  findMerchants,
  insertMerchant,
  type MerchantRow,
} from "./brand.store.ts";
import { isOn, type Merchant } from "./merchant.ts";
import { BrandSettings, type BrandSettingsJson } from "./settings.ts";

export { originsOf } from "./addresses.ts";
export { isClosedTo, isOn, type Merchant, registerField } from "./merchant.ts";
export { ownManifest, pageHead, robotsText, sitemapXml } from "./public-pages.ts";
export type {
  BrandSettings,
  BrandSettingsJson,
  RedRainRule,
  VendorRule,
} from "./settings.ts";
export { fitsPattern, vendorRuleOf } from "./settings.ts";
export { type Installation, statusReply } from "./status.ts";

/** How long a changed setting may go unseen by any process. */
export const SETTINGS_SEEN_MS = 2 * SECOND_MS;
/** For so long a brand stays cached while the database cannot answer. */
const KEPT_MS = MINUTE_MS / 4;
/**
 * Host names remembered, known or not: made-up ones push each other out, since brands' come again.
 */
const HOSTS_MAX = 1_000;

export interface Brands {
  /**
   * The brand that a host name belongs to; `*` in the table means any host.
   * @throws BrandAtFault
   */
  byHost(host: string): Promise<Merchant | null>;
  /** @throws BrandAtFault */
  byId(id: string): Promise<Merchant | null>;
  all(): Promise<Merchant[]>;
  having(flag: string): Promise<Merchant[]>;
  /** Adds a brand with its hosts; used by the demo and by tests. */
  add(client: pg.Pool | pg.ClientBase, brand: NewMerchant): Promise<Merchant>;
}

export interface NewMerchant {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly currency: Currency;
  readonly zone: string;
  readonly hosts: readonly string[];
  readonly settings: BrandSettingsJson;
}

interface Found {
  readonly merchant: Merchant | null;
  readonly readAt: Instant;
}

/** Stored as a promise, so that simultaneous calls share a look-up. */
interface Known {
  readonly merchant: Promise<Merchant | null>;
  readonly until: Instant;
  /** Of the last look-up that was answered, for any caller; null for none. */
  last: Found | null;
}

/** @param onUnreadable called for each brand whose row is at fault, once per fault */
export function createBrands(
  pool: pg.Pool,
  clock: Clock,
  onUnreadable: (code: string, fault: string) => void = () => undefined,
): Brands {
  const cache = new LRUCache<string, Known>({ max: HOSTS_MAX });
  const faults = new Map<string, string>();
  const find = async (name: string) => {
    const row = await findMerchantByHost(pool, name);
    return row === null ? null : servedOf(row);
  };
  /** Without brands whose row is at fault: their own calls wait, and no other brand's. */
  const all = async () => (await findMerchants(pool)).flatMap((row) => readable(row) ?? []);
  function readable(row: MerchantRow): Merchant | null {
    try {
      const merchant = merchantOf(row);
      faults.delete(row.id);
      return merchant;
    } catch (error) {
      const fault = String(error);
      if (faults.get(row.id) !== fault) onUnreadable(row.code, fault);
      faults.set(row.id, fault);
      return null;
    }
  }
  return {
    async byHost(host) {
      // An invalid host belongs to no brand, not even to that of every host.
      if (host === "") return null;
      const name = host.toLowerCase();
      const now = clock.now();
      const known = cache.get(name);
      if (known !== undefined && stillStands(known.until, now, SETTINGS_SEEN_MS)) {
        return known.merchant;
      }
      const looked: Known = {
        merchant: find(name),
        until: now + SETTINGS_SEEN_MS,
        last: known?.last ?? null,
      };
      cache.set(name, looked);
      try {
        const merchant = await looked.merchant;
        looked.last = { merchant, readAt: now };
        return merchant;
      } catch (error) {
        const { last } = looked;
        if (last === null || !stillStands(last.readAt + KEPT_MS, now, KEPT_MS)) {
          if (cache.get(name) === looked) cache.delete(name);
          throw error;
        }
        const merchant = Promise.resolve(last.merchant);
        cache.set(name, { merchant, until: now + SETTINGS_SEEN_MS, last });
        return merchant;
      }
    },
    async byId(id) {
      const row = await findMerchantById(pool, id);
      return row === null ? null : servedOf(row);
    },
    all,
    having: async (flag) => (await all()).filter((merchant) => isOn(merchant, flag)),
    async add(client, brand) {
      await insertMerchant(client, brand, clock.now());
      cache.clear();
      return merchantOf(brand);
    },
  };
}

export type BrandCode = Pick<Merchant, "id" | "code">;

export async function brandCodes(pool: pg.Pool): Promise<BrandCode[]> {
  return (await findMerchants(pool)).map(({ id, code }) => ({ id, code }));
}

/** Works on a schema that is older than this version too. */
export async function hasBrand(db: pg.Pool | pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM merchants WHERE id = $1", [id]);
  return rowCount === 1;
}

/**
 * Thrown if a brand's row is at fault: nobody can tell by which rules to answer its calls, so
 * callers must ask again until somebody has mended the row.
 */
class BrandAtFault extends Unavailable {
  override name = "BrandAtFault";
}

/** @throws BrandAtFault */
function servedOf(row: MerchantRow): Merchant {
  try {
    return merchantOf(row);
  } catch (cause) {
    throw new BrandAtFault(`the row of the brand ${row.code} is at fault: ${cause}`, { cause });
  }
}

/** @throws ZodError, AssertionError or RangeError if the row is at fault */
function merchantOf(row: MerchantRow): Merchant {
  const settings = BrandSettings.parse(row.settings);
  assert(isCurrency(row.currency), `merchant ${row.id} has a known currency`);
  // Throws if there is no such zone.
  new Intl.DateTimeFormat("en", { timeZone: row.zone });
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    currency: row.currency,
    zone: row.zone,
    defaultLanguage: settings.defaultLanguage,
    hosts: row.hosts.map((host) => host.toLowerCase()),
    settings,
  };
}
