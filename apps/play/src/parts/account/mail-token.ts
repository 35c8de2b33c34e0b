/** 256 bits as base64url; anything else was cut off by a mail program. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether the address holds the mail link's whole token. */
export function isWholeToken(token: string): boolean {
  return TOKEN.test(token);
}
