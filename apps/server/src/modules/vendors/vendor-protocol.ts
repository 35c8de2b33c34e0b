import type { FastifyInstance } from "fastify";
import type { Launch, VendorConnection } from "./vendor-connection.ts";
import type { VendorSessions } from "./vendor-sessions.ts";

/** What a protocol is given: whose calls come in, and what they ask for. */
export interface VendorDoor {
  connection(vendor: string): VendorConnection | null;
  readonly sessions: VendorSessions;
}

/**
 * The adapter of one foreign protocol. Paths, bodies, signatures, replies and error words are its
 * own; what they mean it asks of `VendorSessions`, which knows no protocol.
 */
export interface VendorProtocol {
  readonly name: string;
  playUrl(connection: VendorConnection, launch: Launch): string;
  /** Serves the calls of its vendors. Those of our own protocol stand in the contract. */
  readonly pages?: (app: FastifyInstance, door: VendorDoor) => void;
}
