/**
 * Whether a name is as a member by number is called. Nobody chooses such a name, and nobody who
 * asks after one is told whether anybody has it: it would tell whose number is registered, or keep
 * its owner's name from them. Ten digits, since shorter ones are days and years, and the numbers
 * of a few islands. No schema stands here, so that the browser carries none.
 */
export function isNameOfNumber(username: string): boolean {
  return /^\d{10,}(?:_[0-9a-z]{4})?$/i.test(username);
}
