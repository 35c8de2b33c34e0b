import { peryaProtocol } from "./perya-protocol.ts";
import type { VendorProtocol } from "./vendor-protocol.ts";

/** Every protocol that is spoken here. */
export const VENDOR_PROTOCOLS: readonly VendorProtocol[] = [peryaProtocol];
