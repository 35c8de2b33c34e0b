import type { Rational } from "./rational.ts";
import type { StakeRule } from "./stake.ts";

/**
 * The manifest of a game that our own server deals: what every room knows of it. It names the rules
 * without loading them, so that a list of games stays small. Beside it a game has its rules in this
 * package, its drawing in `packages/art/src/house/<id>.ts` and its client in
 * `apps/play/src/games/<id>/client.tsx`; they are found by the id.
 */
export type HouseGame = HouseGameTerms & (SoloKind | SharedKind);

interface HouseGameTerms {
  /** Stays for good: rounds, addresses and texts are stored under it. */
  readonly id: string;
  /** As players read it, the same in every language. */
  readonly name: string;
  readonly gameType: "RNG" | "COCKFIGHT";
  /** Its class in the lists of its type. */
  readonly classify: string;
  readonly isNew: boolean;
  /** The banner's scene in `packages/art`. */
  readonly scene: string;
  readonly rules: () => Promise<GameTerms>;
}

/** One player, one round per call (`solo-game.ts`), which the page of fairness proves by its id. */
interface SoloKind {
  readonly kind: "solo";
  readonly proof: "fairness-page";
}

/**
 * Many players bet on one event. The page of fairness proves a flight by its id; any other event is
 * proved on a sheet of the game's own client.
 */
interface SharedKind {
  readonly kind: "shared";
  readonly proof: "flight" | { readonly sheet: string };
}

/** What all rules tell, whatever is played. */
export interface GameTerms {
  /** Holds for each single bet. */
  readonly stake: StakeRule;
  /** The exact share of the stakes that comes back in the long run. */
  readonly returnToPlayer: () => Rational;
}
