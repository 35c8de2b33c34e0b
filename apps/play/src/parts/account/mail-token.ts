/** 256 bits as base64url; anything else was cut off by a mail program. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether what the address carries is the whole of what the mail's link had. */
export function isWholeToken(token: string): boolean {
  return TOKEN.test(token);
}
