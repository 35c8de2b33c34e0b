import type { ChainForm } from "@perya/games/saranggola";
import { VERIFY_CODE } from "@perya/games/verify-us";

const SEED_AS_BYTES = 'update(Buffer.from(seed, "hex"))';
const SEED_AS_TEXT = "update(seed)";

/** The code that recomputes a flight by the form of its chain; the rest is the same for both. */
export function verifyCodeOf(form: ChainForm): string {
  return form === 1 ? VERIFY_CODE.replace(SEED_AS_BYTES, SEED_AS_TEXT) : VERIFY_CODE;
}
