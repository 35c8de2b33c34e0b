import type { PhoneNumber } from "./phone-numbers.ts";

/**
 * An outside service that verifies numbers in place of our own SMS code (accounts §7); an
 * installation that has such a service wires its adapter in build.ts.
 */
export interface PhoneProofs {
  /** The number that the service's token stands for; null for a token that is not genuine. */
  numberOf(channel: string, idToken: string): Promise<PhoneNumber | null>;
}
