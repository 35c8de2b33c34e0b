import type { Refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import type { Entropy } from "@perya/kernel/instant";
import { expect } from "vitest";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { type PlayRequest, Rounds } from "../../apps/server/src/modules/rounds/rounds.ts";
import { isFlight } from "../../apps/server/src/modules/saranggola/saranggola.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { seededEntropy } from "./fixtures.ts";
import { openGameWorld } from "./game-world.ts";

/** The house's solo games in two processes, on the books of one game's world. */
export async function openHouse(seed: string) {
  const world = await openGameWorld(seed);
  const { clock, db, entropy, ledger, merchant, otherLedger, walletOf } = world;
  /** The catalogue's answer for every game; null: open. */
  const now = { refusal: null as Refusal | null };
  const rounds = house(new VendorWallet(db.pool, ledger, clock), entropy);
  /** The same house in another process. */
  const other = house(new VendorWallet(db.pool, otherLedger, clock), seededEntropy("other"));

  async function replaced(session: Session, clientSeed: string, replaces: string) {
    const done = await rounds.replaceSeed(session, { clientSeed, replaces, next: null });
    if (!done.ok) throw new Error(`refused: ${done.error.code}`);
    return done.value;
  }

  function deps() {
    return { pool: db.pool, ledger, clock };
  }

  function house(wallet: VendorWallet, chance: Entropy): Rounds {
    const playRefusal = async () => now.refusal;
    return new Rounds({
      pool: db.pool,
      wallet,
      clock,
      entropy: chance,
      playRefusal,
      sure: async () => undefined,
      isTaken: (roundId) => isFlight(db.pool, roundId),
    });
  }

  /** A bet on all six colours: some die shows one of them, so every such round wins something. */
  function colourRound(): PlayRequest {
    const colours = ["yellow", "white", "pink", "blue", "red", "green"];
    const bets = Object.fromEntries(colours.map((colour) => [colour, "100"]));
    return { roundId: freshRoundId(), gameId: "color-game", choices: { bets } };
  }

  function parolRound(): PlayRequest {
    return { roundId: freshRoundId(), gameId: "parol-fortune", choices: { stakeMinor: "2000" } };
  }

  function freshRoundId(): string {
    return mintId("round", clock.now(), entropy.bytes(16));
  }

  async function play(house: Rounds, session: Session, request: PlayRequest) {
    const played = await house.play(merchant, session, request);
    if (!played.ok) throw new Error(`refused: ${JSON.stringify(played.error)}`);
    return played.value;
  }

  async function countRounds(session: Session): Promise<number> {
    const account = walletOf(session);
    const { rows } = await db.pool.query<{ dealt: number; recorded: number }>(
      `SELECT (SELECT count(*)::int FROM house_rounds WHERE lane = $1 AND account_id = $2) AS dealt,
              (SELECT count(*)::int FROM vendor_rounds WHERE lane = $1 AND account_id = $2) AS recorded`,
      [account.lane, account.id],
    );
    expect(rows[0]?.dealt).toBe(rows[0]?.recorded);
    return rows[0]?.dealt ?? -1;
  }

  return {
    ...world,
    ...{ now, rounds, other },
    ...{ replaced, deps, house, colourRound, parolRound, freshRoundId, play, countRounds },
  };
}
