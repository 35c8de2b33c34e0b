/**
 * Thrown if something of ours cannot be reached or is too busy for now: the caller is told so, and
 * sending again is safe.
 */
export class Unavailable extends Error {
  override name = "Unavailable";
}
