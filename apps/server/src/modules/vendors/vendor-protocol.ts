import type { Clock } from "@perya/kernel/instant";
import type { FastifyInstance } from "fastify";
import { type Launch, secretsAt, type VendorConnection } from "./vendor-connection.ts";
import type { VendorSessions } from "./vendor-sessions.ts";

/** A vendor that calls, as its adapter knows it. */
interface CallingVendor {
  readonly vendor: string;
  /** What it may sign with now: the present secret, then the replaced one until its time is over. */
  readonly secrets: readonly string[];
}

/** What a protocol may use: whose calls come in, what they ask for, and the time. */
export interface VendorAccess {
  /** Null for a vendor that is not connected, or that speaks another protocol. */
  connection(vendor: string): CallingVendor | null;
  readonly sessions: VendorSessions;
  readonly clock: Clock;
}

/** What the server gives to all protocols. */
export interface VendorHouse extends Pick<VendorAccess, "sessions" | "clock"> {
  readonly connections: { find(vendor: string): VendorConnection | null };
}

/**
 * The adapter of one foreign protocol. Paths, bodies, signatures, replies and error words are its
 * own; `VendorSessions`, which knows no protocol, answers what they mean.
 */
export interface VendorProtocol {
  readonly name: string;
  /** The address that the player's browser opens. The protocol may ask its vendor for it first. */
  playUrl(connection: VendorConnection, launch: Launch): string | Promise<string>;
  /**
   * Serves the calls of its vendors, in the scope of `serveProtocols`. The calls of our own protocol
   * are declared in the contract.
   */
  readonly pages?: (scope: FastifyInstance, access: VendorAccess) => void;
}

/** What one protocol may use: it knows no vendor of another. */
export function accessOf(
  { name }: VendorProtocol,
  { connections, sessions, clock }: VendorHouse,
): VendorAccess {
  const connection = (vendor: string) => {
    const known = connections.find(vendor);
    if (known?.protocol !== name) return null;
    return { vendor, secrets: secretsAt(known, clock.now()) };
  };
  return { connection, sessions, clock };
}

/**
 * Gives each protocol a scope of its own: the parsers, hooks and error handler that it adds there
 * reach no other route. The scope parses no body until the protocol says how. An error that the
 * protocol does not handle is answered as any other call's.
 */
export function serveProtocols(
  app: FastifyInstance,
  protocols: readonly VendorProtocol[],
  house: VendorHouse,
): void {
  for (const protocol of protocols) {
    const { pages } = protocol;
    if (pages === undefined) continue;
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      pages(scope, accessOf(protocol, house));
    });
  }
}
