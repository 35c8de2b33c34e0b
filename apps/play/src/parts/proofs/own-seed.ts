import type { SeedInUse } from "@perya/contract/rounds";
import { api } from "../../shell/server.ts";
import { freshClientSeed } from "./client-seed.ts";
import { keepOwnSeed, keepPairs, ownSeed } from "./shown-here.ts";

/** The pair in use and the next one, which this device keeps. @throws ApiRefusal from the call */
export async function readSeed(signal?: AbortSignal): Promise<SeedInUse> {
  const seed = await api.call("GET /api/v1/fairness/seed", signal === undefined ? {} : { signal });
  keepPairs(seed);
  return seed;
}

/**
 * Replaces the pair in use by the next one, whose hash was shown with `seed`. A client seed that
 * was already sent for it, and perhaps never arrived, is sent again instead. `isAsShown`: the house
 * used the very pair that it had shown as next, and the player's client seed.
 * @throws ApiRefusal from the call
 */
export async function replaceSeed(seed: SeedInUse, clientSeed: string) {
  const { next } = seed;
  // Before the call goes out, so that no answer can change the choice. A process of an earlier
  // version neither shows nor takes a next pair.
  const sent = next === undefined ? clientSeed : keepOwnSeed(next, clientSeed);
  const { current, revealed } = await api.call("POST /api/v1/fairness/seed", {
    body: {
      ...{ clientSeed: sent, replaces: seed.seedId },
      ...(next === undefined ? {} : { next: next.seedId }),
    },
  });
  keepPairs(current);
  const isNext =
    next === undefined ||
    (current.seedId === next.seedId &&
      current.serverSeedHash === ownSeed(next.seedId)?.serverSeedHash);
  return { current, revealed, isAsShown: isNext && current.clientSeed === sent };
}

/**
 * Gives the first pair a client seed of this device's. The house chooses both seeds of a pair made
 * with the first round, and with both it could choose the results.
 */
export async function chooseOwnSeed(signal: AbortSignal): Promise<void> {
  const seed = await readSeed(signal);
  if (seed.chosenBy === "house") await replaceSeed(seed, freshClientSeed());
}
