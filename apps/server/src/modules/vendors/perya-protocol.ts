import type { VendorProtocol } from "./vendor-protocol.ts";

/**
 * Our own protocol (docs/vendors.md). Its calls are declared in the contract and served by
 * `wallet-calls.routes.ts`.
 */
export const peryaProtocol: VendorProtocol = {
  name: "perya",
  playUrl: ({ launchUrl }, { token, gameId }) => {
    const own = new URLSearchParams({ token, game: gameId });
    return `${launchUrl}${launchUrl.includes("?") ? "&" : "?"}${own}`;
  },
};
