const MASK = "•••";
/** Digits and sign of a number that shows its beginning too; a shorter one would show too much. */
const LONG_NUMBER = 12;

/** `+63917•••4567`, `m•••@example.com`: enough to know one's own, too little to know another's. */
export function maskAddress(to: string): string {
  const at = to.lastIndexOf("@");
  // A whole sign, also where it is of two units.
  if (at > 0) return `${[...to].at(0)}${MASK}${to.slice(at)}`;
  return to.length < LONG_NUMBER
    ? `${MASK}${to.slice(-2)}`
    : `${to.slice(0, 6)}${MASK}${to.slice(-4)}`;
}
