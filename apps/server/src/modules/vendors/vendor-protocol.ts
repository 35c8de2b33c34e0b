import type { FastifyInstance } from "fastify";
import type { Launch, VendorConnection } from "./vendor-connection.ts";
import type { VendorSessions } from "./vendor-sessions.ts";

/** What a protocol may use: whose calls come in, and what they ask for. */
export interface VendorAccess {
  connection(vendor: string): VendorConnection | null;
  readonly sessions: VendorSessions;
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

/**
 * Gives each protocol a scope of its own: the parsers, hooks and error handler that it adds there
 * reach no other route. The scope parses no body until the protocol says how. An error that the
 * protocol does not handle is answered as any other call's.
 */
export function serveProtocols(
  app: FastifyInstance,
  protocols: readonly VendorProtocol[],
  access: VendorAccess,
): void {
  for (const { pages } of protocols) {
    if (pages === undefined) continue;
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      pages(scope, access);
    });
  }
}
