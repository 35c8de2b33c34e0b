/** The fairness page's calculations, loaded in the browser with the first check. */
import { isClientSeed } from "@perya/games/client-seed";
import { drawStream, isNonce, isServerSeed, seedHash } from "@perya/games/fairness";
import { CHAIN_FORM, crashHundredths, isSalt } from "@perya/games/saranggola";
import { type SoloGameId, soloGames } from "@perya/games/solo-games";

export { verifySoloRound } from "@perya/games/verify-round";
export { proveFlight } from "./flight-proof.ts";

export interface ManualInput {
  readonly game: SoloGameId | "saranggola" | "saranggola-before";
  readonly serverSeed: string;
  /** For the kite: the salt of its chain. */
  readonly clientSeed: string;
  readonly nonce: number;
}

export type ManualFault = "server_seed" | "client_seed" | "salt" | "nonce";

export interface ManualOutput {
  readonly hash: string;
  /** One line per spin, the dice, or the crash in hundredths. */
  readonly lines: readonly string[];
}

/** Draws a round from seeds typed in by hand; stakes do not change the draw. */
export function drawByHand(input: ManualInput): ManualOutput | { readonly fault: ManualFault } {
  const { game, serverSeed, clientSeed, nonce } = input;
  if (!isServerSeed(serverSeed)) return { fault: "server_seed" };
  const hash = seedHash(serverSeed);
  if (game === "saranggola" || game === "saranggola-before") {
    if (!isSalt(clientSeed)) return { fault: "salt" };
    const form = game === "saranggola" ? CHAIN_FORM : 1;
    return { hash, lines: [`${crashHundredths(serverSeed, clientSeed, form)}`] };
  }
  if (!isClientSeed(clientSeed)) return { fault: "client_seed" };
  if (!isNonce(nonce)) return { fault: "nonce" };
  return { hash, lines: soloGames[game].draw(drawStream({ serverSeed, clientSeed, nonce })) };
}
