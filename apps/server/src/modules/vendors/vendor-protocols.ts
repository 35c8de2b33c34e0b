import { peryaProtocol } from "./perya-protocol.ts";
import type { VendorProtocol } from "./vendor-protocol.ts";

export const VENDOR_PROTOCOLS: readonly VendorProtocol[] = [peryaProtocol];
