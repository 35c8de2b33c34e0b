import { createHash } from "node:crypto";
import type { FlightChain } from "@perya/contract/saranggola";
import { seedHash } from "@perya/games/fairness";
import { CHAIN_FORM, commitmentText, seedChain } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { LRUCache } from "lru-cache";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { SigningKey } from "../../platform/signing-key.ts";
import {
  type ChainRow,
  commitChain,
  committedChains,
  currentChain,
  findChain,
  findFlight,
  insertChain,
} from "./saranggola.store.ts";

const CHAIN_LENGTH = 20_000;
const CHAINS_KEPT = 8;
const CHAINS_SHOWN = 20;

export interface ChainsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  /** Signs what is published of a chain. */
  readonly signing: SigningKey;
  /** Resolves once no seed in use was seen in a history that the database has left. */
  readonly sure: () => Promise<void>;
}

interface ChainSeeds {
  /** The parts of it that never change. */
  readonly chain: Pick<ChainRow, "id" | "salt" | "form">;
  readonly seeds: readonly string[];
}

/**
 * The chains of the flights' seeds. The crashes of a chain are fixed by its end, its salt and its
 * length, which are signed and shown before the first bet on it.
 */
export class Chains {
  readonly #options: ChainsOptions;
  readonly #seeds = new LRUCache<string, ChainSeeds>({ max: CHAINS_KEPT });

  constructor(options: ChainsOptions) {
    this.#options = options;
  }

  /** The chain in use and its next seed; its commitment is published before the seed is used. */
  async next(): Promise<{ readonly chain: ChainRow; readonly seed: string }> {
    const chain = await this.#playable();
    await this.#options.sure();
    const { seeds } = await this.#seedsOf(chain.id);
    const seed = present(seeds[chain.next_index], "the next seed of the chain");
    if (chain.committed === null) await this.#commit(chain, seed);
    return { chain, seed };
  }

  /** A flight that is over, with its seed; null while it could still be bet on. */
  async finished(roundId: string) {
    const flight = await findFlight(this.#options.pool, roundId);
    if (flight === null || (flight.phase !== "crashed" && flight.phase !== "voided")) return null;
    const { chain, seeds } = await this.#seedsOf(flight.chain_id);
    return {
      id: flight.id,
      seedHash: flight.seed_hash,
      seed: present(seeds[flight.chain_index], "the seed of a flight"),
      // The published salt proves later ones; a page of an earlier version asks for it here.
      salt: chain.form === 1 ? chain.salt : null,
      chainId: chain.id,
      chainIndex: flight.chain_index,
      crashedAt: flight.crash_at,
      startedAt: flight.starts_at.getTime(),
    };
  }

  /** The latest ones, as everybody may know them. */
  async latest(): Promise<FlightChain[]> {
    const chains = await committedChains(this.#options.pool, CHAINS_SHOWN);
    return chains.flatMap((chain) => shownChain(chain) ?? []);
  }

  /** What everybody may know of a chain; null if nothing was published of it. */
  async shown(id: string): Promise<FlightChain | null> {
    return shownChain(await findChain(this.#options.pool, id));
  }

  /** Read anew for every flight: a seed that another process has flown is known to everyone. */
  async #playable(): Promise<ChainRow> {
    const { pool, clock, entropy } = this.#options;
    const found = await currentChain(pool);
    if (found !== null) return found;
    const now = clock.now();
    const id = mintId("seed", now, entropy.bytes(16));
    const lastSeed = Buffer.from(entropy.bytes(32)).toString("hex");
    const salt = Buffer.from(entropy.bytes(16)).toString("hex");
    const chain = { id, last_seed: lastSeed, salt, length: CHAIN_LENGTH, form: CHAIN_FORM };
    await insertChain(pool, chain, now);
    return { ...chain, next_index: 0, committed: null };
  }

  /** Publishes what fixes the flights of a chain from its next one on. */
  async #commit({ id, salt, form, length, next_index }: ChainRow, seed: string): Promise<void> {
    const { pool, clock, signing } = this.#options;
    const committedAt = clock.now();
    const fixed = { firstIndex: next_index, firstHash: seedHash(seed), committedAt };
    const signature = signing.sign(commitmentText({ chainId: id, form, salt, length, ...fixed }));
    await commitChain(pool, id, { ...fixed, publicKey: signing.publicKey, signature });
  }

  /**
   * Twenty thousand hashes per chain, so they are made once and kept; by Node's own SHA-256, which
   * blocks everybody else for a tenth of the time that the games' own would.
   */
  async #seedsOf(chainId: string): Promise<ChainSeeds> {
    const known = this.#seeds.get(chainId);
    if (known !== undefined) return known;
    const chain = present(await findChain(this.#options.pool, chainId), "a flight's chain");
    const made = { chain, seeds: seedChain(chain.last_seed, chain.length, sha256) };
    this.#seeds.set(chainId, made);
    return made;
  }
}

function shownChain(chain: ChainRow | null): FlightChain | null {
  if (chain === null || chain.committed === null) return null;
  const { id, salt, form, length, committed } = chain;
  return { chainId: id, salt, form, length, ...committed };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
