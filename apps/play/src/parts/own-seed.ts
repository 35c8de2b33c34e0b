import type { SeedInUse } from "@perya/contract/rounds";
import { api } from "../shell/server.ts";
import { freshClientSeed } from "./client-seed.ts";
import { keepClientSeed, keepPairs } from "./shown-here.ts";

/** @throws ApiRefusal as the call's; the pair in use and the next, which this device keeps. */
export async function readSeed(signal?: AbortSignal): Promise<SeedInUse> {
  const seed = await api.call("GET /api/v1/fairness/seed", signal === undefined ? {} : { signal });
  keepPairs(seed);
  return seed;
}

/**
 * Puts the next pair, whose hash was shown with `seed`, in the place of the one in use.
 * `isAsShown`: the house has used the server seed that it had shown, and the client seed of the player.
 * @throws ApiRefusal as the call's
 */
export async function replaceSeed(seed: SeedInUse, clientSeed: string) {
  const { next } = seed;
  const { current, revealed } = await api.call("POST /api/v1/fairness/seed", {
    body: {
      ...{ clientSeed, replaces: seed.seedId },
      // A process of before shows none, and takes none.
      ...(next === undefined ? {} : { next: next.seedId }),
    },
  });
  const isOwn = current.clientSeed === clientSeed;
  const isAsShown = isOwn && (next === undefined || next.serverSeedHash === current.serverSeedHash);
  // What was sent, whatever the answer says.
  keepClientSeed(current.seedId, clientSeed);
  keepPairs(current);
  return { current, revealed, isAsShown };
}

/**
 * Gives the first pair a client seed of this device's: who chooses both seeds, as the house does in
 * a pair that is made with the first round, chooses the results.
 */
export async function chooseOwnSeed(signal: AbortSignal): Promise<void> {
  const seed = await readSeed(signal);
  if (seed.chosenBy === "house") await replaceSeed(seed, freshClientSeed());
}
