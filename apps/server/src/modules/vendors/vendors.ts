/** The face of outside vendors and of the wallet that all games use. */
export { type ConnectionTerms, launchAddress, originOf } from "./vendor-connection.ts";
export { VendorConnections } from "./vendor-connections.ts";
export { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";
export { signAsVendor } from "./vendor-signature.ts";
export { VendorWallet } from "./vendor-wallet.ts";
export { counterAccounts, settleLostRounds, vendorBooks } from "./vendors.store.ts";
export type { WalletAnswer } from "./wallet-calls.ts";
