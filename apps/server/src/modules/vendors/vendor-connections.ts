import { isDeepStrictEqual } from "node:util";
import { present } from "@perya/kernel/assert";
import { DAY_MS, type Instant, SECOND_MS } from "@perya/kernel/instant";
import { repeat } from "../../platform/repeat.ts";
import { createSealing, type Sealing } from "../../platform/sealing.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { ConnectionTerms, Launch, VendorConnection } from "./vendor-connection.ts";
import {
  type ConnectionRow,
  deleteConnection,
  dropFormerSecrets,
  putConnection,
  readConnections,
} from "./vendor-connections.store.ts";
import type { VendorProtocol } from "./vendor-protocol.ts";
import { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";

/** A vendor that was connected or changed is known everywhere after this. */
const CONNECTIONS_READ_MS = 5 * SECOND_MS;
/** How long a vendor may go on signing with the secret that was replaced. */
const FORMER_MS = DAY_MS;

export interface VendorConnectionsOptions extends Pick<ModuleParts, "pool" | "clock" | "log"> {
  /** Of the server's configuration: secrets are sealed under a key that is derived from it. */
  readonly secret: string;
  readonly protocols?: readonly VendorProtocol[];
}

/**
 * The vendors that are connected, kept in memory, since each page and each call asks. A vendor without
 * a row is shown in maintenance and its calls are `not_found`; so is one whose secret was sealed under
 * another key, or whose protocol nobody speaks here, and the log says so.
 */
export class VendorConnections {
  readonly #options: VendorConnectionsOptions;
  readonly #sealing: Sealing;
  readonly #protocols: ReadonlyMap<string, VendorProtocol>;
  readonly #stopped = new AbortController();
  #rows: readonly ConnectionRow[] = [];
  #known: ReadonlyMap<string, VendorConnection> = new Map();
  /** What each sealed secret of the last read holds; null for one of another key. */
  #opened: ReadonlyMap<string, string | null> = new Map();

  constructor(options: VendorConnectionsOptions) {
    this.#options = options;
    this.#sealing = createSealing(options.secret, "vendor-connection");
    const { protocols = VENDOR_PROTOCOLS } = options;
    this.#protocols = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  }

  find(vendor: string): VendorConnection | null {
    return this.#known.get(vendor) ?? null;
  }

  /** Every row of the last read, also one that connects nobody. */
  list(): readonly (Omit<ConnectionTerms, "secret"> & { readonly opens: boolean })[] {
    return this.#rows.map(({ vendor, protocol, launch_url: launchUrl }) => {
      return { vendor, protocol, launchUrl, opens: this.#known.has(vendor) };
    });
  }

  /** Where a player's browser opens a game; null where its vendor is connected no longer. */
  async playUrl(vendor: string, launch: Launch): Promise<string | null> {
    const connection = this.find(vendor);
    if (connection === null) return null;
    const protocol = present(this.#protocols.get(connection.protocol), "a protocol spoken here");
    return protocol.playUrl(connection, launch);
  }

  /** Connections that are as given stay as they are. */
  async put(...given: readonly ConnectionTerms[]): Promise<void> {
    await this.refresh();
    for (const terms of given) {
      const { former: _, ...before } = this.find(terms.vendor) ?? { former: null };
      if (isDeepStrictEqual(before, terms)) continue;
      await this.#put(terms, this.#options.clock.now() + FORMER_MS);
    }
    await this.refresh();
  }

  /** The same, and the secret that it replaces is refused at once: others may know it. */
  async replace(terms: ConnectionTerms): Promise<void> {
    await this.#put(terms, null);
    await this.refresh();
  }

  async #put(terms: ConnectionTerms, formerUntil: Instant | null): Promise<void> {
    const { pool, clock } = this.#options;
    const { vendor, protocol, launchUrl: launch_url, secret } = terms;
    // A secret that stays is written as it is: it replaces none.
    const stored = this.#rows.find((row) => row.vendor === vendor)?.sealed_secret;
    const stays = stored !== undefined && this.#opened.get(stored) === secret;
    const sealed_secret = stays ? stored : await this.#sealing.seal(secret);
    const row = { vendor, protocol, launch_url, sealed_secret };
    await putConnection(pool, row, clock.now(), formerUntil);
  }

  async sweep(): Promise<void> {
    await dropFormerSecrets(this.#options.pool, this.#options.clock.now());
  }

  /** @returns whether the vendor was connected */
  async remove(vendor: string): Promise<boolean> {
    const removed = await deleteConnection(this.#options.pool, vendor);
    await this.refresh();
    return removed;
  }

  /** From now on it learns of what others change. */
  watch(): void {
    void repeat(
      () => this.#refreshOrWait(),
      () => CONNECTIONS_READ_MS,
      this.#stopped.signal,
    );
  }

  stopWatching(): void {
    this.#stopped.abort();
  }

  /** What was known stays while the database does not answer. */
  async #refreshOrWait(): Promise<void> {
    await this.refresh().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, "the vendors' connections could not be read");
    });
  }

  /** Reads what another process may have changed. */
  async refresh(): Promise<void> {
    const rows = await readConnections(this.#options.pool);
    const opened = new Map<string, string | null>();
    const known = new Map<string, VendorConnection>();
    for (const row of rows) {
      const connection = await this.#connectionOf(row, opened);
      if (connection !== null) known.set(row.vendor, connection);
    }
    this.#opened = opened;
    this.#rows = rows;
    this.#known = known;
  }

  /** Null for one that connects nobody, which is logged once. */
  async #connectionOf(
    row: ConnectionRow,
    opened: Map<string, string | null>,
  ): Promise<VendorConnection | null> {
    const { vendor, protocol, launch_url: launchUrl, sealed_former_secret, former_until } = row;
    const isNew = !this.#opened.has(row.sealed_secret);
    const secret = await this.#open(row.sealed_secret, opened);
    const isSpoken = this.#protocols.has(protocol);
    if (secret === null || !isSpoken) {
      const about = { vendor, protocol, isSpoken };
      if (isNew) this.#options.log.error(about, "a vendor cannot be connected");
      return null;
    }
    const replaced =
      sealed_former_secret === null ? null : await this.#open(sealed_former_secret, opened);
    const former =
      replaced === null || former_until === null
        ? null
        : { secret: replaced, until: former_until.getTime() };
    return { vendor, protocol, launchUrl, secret, former };
  }

  /** Opens each sealed secret once. */
  async #open(sealed: string, opened: Map<string, string | null>): Promise<string | null> {
    const before = this.#opened.get(sealed);
    const secret = before === undefined ? await this.#sealing.open(sealed) : before;
    opened.set(sealed, secret);
    return secret;
  }
}
