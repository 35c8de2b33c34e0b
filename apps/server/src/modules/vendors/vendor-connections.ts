import { present } from "@perya/kernel/assert";
import { SECOND_MS } from "@perya/kernel/instant";
import { repeat } from "../../platform/repeat.ts";
import { createSealing, type Sealing } from "../../platform/sealing.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { Launch, VendorConnection } from "./vendor-connection.ts";
import {
  type ConnectionRow,
  deleteConnection,
  putConnection,
  readConnections,
} from "./vendor-connections.store.ts";
import type { VendorProtocol } from "./vendor-protocol.ts";
import { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";

/** A vendor that was connected or changed is known everywhere after this. */
const CONNECTIONS_READ_MS = 5 * SECOND_MS;

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

  list(): readonly VendorConnection[] {
    return [...this.#known.values()];
  }

  /** Where a player's browser opens a game of a vendor that is connected. */
  async playUrl(vendor: string, launch: Launch): Promise<string> {
    const connection = present(this.find(vendor), `a connection to ${vendor}`);
    const protocol = present(this.#protocols.get(connection.protocol), "a protocol spoken here");
    return protocol.playUrl(connection, launch);
  }

  async put(...given: readonly VendorConnection[]): Promise<void> {
    const { pool, clock } = this.#options;
    for (const { vendor, protocol, launchUrl, secret } of given) {
      const sealed_secret = await this.#sealing.seal(secret);
      const row = { vendor, protocol, launch_url: launchUrl, sealed_secret };
      await putConnection(pool, row, clock.now());
    }
    await this.refresh();
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
    const opened = new Map(await Promise.all(rows.map((row) => this.#open(row))));
    const known = rows.flatMap((row) => this.#connectionOf(row, opened.get(row.sealed_secret)));
    this.#opened = opened;
    this.#known = new Map(known.map((one) => [one.vendor, one]));
  }

  /** Opens a sealed secret once, and logs once why it connects nobody. */
  async #open({ vendor, protocol, sealed_secret }: ConnectionRow) {
    const before = this.#opened.get(sealed_secret);
    if (before !== undefined) return [sealed_secret, before] as const;
    const secret = await this.#sealing.open(sealed_secret);
    const isSpoken = this.#protocols.has(protocol);
    if (secret === null || !isSpoken) {
      this.#options.log.error({ vendor, protocol, isSpoken }, "a vendor cannot be connected");
    }
    return [sealed_secret, secret] as const;
  }

  #connectionOf(row: ConnectionRow, secret: string | null | undefined): VendorConnection[] {
    const { vendor, protocol, launch_url: launchUrl } = row;
    if (secret == null || !this.#protocols.has(protocol)) return [];
    return [{ vendor, protocol, launchUrl, secret }];
  }
}
