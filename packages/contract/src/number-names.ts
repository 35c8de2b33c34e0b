/**
 * Whether a name looks like that of a member who registered by number. Nobody may choose such a
 * name, and the server never says whether it is taken: an answer would reveal whether the number is
 * registered, and a player who took the name would keep it from the number's owner. Ten digits, since shorter ones are days, years
 * and the numbers of a few islands. This file has no schema, so that the browser loads none.
 */
export function isNameOfNumber(username: string): boolean {
  return /^\d{10,}(?:_[0-9a-z]{4})?$/i.test(username);
}
