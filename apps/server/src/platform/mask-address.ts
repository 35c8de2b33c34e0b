const MASK = "•••";
/** Digits and sign of a number that also shows its beginning; a shorter one would show too much. */
const LONG_NUMBER = 12;

/** `+63917•••4567`, `m•••@example.com`: enough to know one's own, too little to know another's. */
export function maskAddress(to: string): string {
  const at = to.lastIndexOf("@");
  // A whole character, also if it has two code units.
  if (at > 0) return `${[...to].at(0)}${MASK}${to.slice(at)}`;
  return to.length < LONG_NUMBER
    ? `${MASK}${to.slice(-2)}`
    : `${to.slice(0, 6)}${MASK}${to.slice(-4)}`;
}
