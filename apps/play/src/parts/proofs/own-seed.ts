import type { SeedInUse } from "@perya/contract/rounds";
import { api } from "../../shell/server.ts";
import { freshClientSeed } from "./client-seed.ts";
import { keepOwnSeed, keepPairs, ownSeed } from "./shown-here.ts";

/** @throws ApiRefusal as the call's; the pair in use and the next, which this device keeps. */
export async function readSeed(signal?: AbortSignal): Promise<SeedInUse> {
  const seed = await api.call("GET /api/v1/fairness/seed", signal === undefined ? {} : { signal });
  keepPairs(seed);
  return seed;
}

/**
 * Puts the next pair, whose hash was shown with `seed`, in the place of the one in use. A client seed
 * that was sent for it before, and perhaps never came, is sent again instead.
 * `isAsShown`: the house has used the very pair that it had shown as next, and the client seed of the
 * player.
 * @throws ApiRefusal as the call's
 */
export async function replaceSeed(seed: SeedInUse, clientSeed: string) {
  const { next } = seed;
  // Before the call goes out, so that no answer says what was chosen. A process of before shows no
  // next, and takes none.
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
 * Gives the first pair a client seed of this device's: who chooses both seeds, as the house does in
 * a pair that is made with the first round, chooses the results.
 */
export async function chooseOwnSeed(signal: AbortSignal): Promise<void> {
  const seed = await readSeed(signal);
  if (seed.chosenBy === "house") await replaceSeed(seed, freshClientSeed());
}
