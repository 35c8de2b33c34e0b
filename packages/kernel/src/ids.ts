/**
 * Ids are prefixed, time-ordered text: `rnd_01jd…` tells its kind in any log line and sorts by the
 * time of its making. 48 bits of milliseconds, then 80 random bits, in Crockford base32 (the ULID
 * layout, https://github.com/ulid/spec, in lower case).
 */
const ID_PREFIXES = {
  merchant: "mer",
  member: "mem",
  session: "ses",
  account: "acc",
  round: "rnd",
  bet: "bet",
  seed: "sed",
  deposit: "dep",
  withdrawal: "wdr",
  game: "gam",
  announcement: "ann",
  captcha: "cap",
  message: "msg",
  request: "req",
  transfer: "trf",
  challenge: "chl",
  loginEvent: "lge",
  passkey: "psk",
  upload: "upl",
  application: "apl",
  feedback: "fbk",
  draw: "drw",
  match: "mch",
  fixture: "fix",
  play: "ply",
  rain: "rai",
  catch: "cch",
  contract: "ctr",
  operator: "opr",
  heldWin: "hwn",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;
export type Id<K extends IdKind> = string & { readonly __id: K };

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_BYTES = 16;

/** @param random 16 fresh random bytes; each gives one base32 digit (its low five bits). */
export function mintId<K extends IdKind>(kind: K, nowMs: number, random: Uint8Array): Id<K> {
  if (random.length < RANDOM_BYTES) throw new RangeError("an id needs 16 random bytes");
  let time = "";
  for (let rest = nowMs, i = 0; i < TIME_CHARS; i++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let tail = "";
  for (let i = 0; i < RANDOM_BYTES; i++) tail += ALPHABET.charAt((random[i] ?? 0) & 31);
  // The prefix belongs to the kind, and the body was just built in the form that isId checks.
  return `${ID_PREFIXES[kind]}_${time}${tail}` as Id<K>;
}

/** The milliseconds of the minter's clock when the id was minted. */
export function mintedAt(id: string): number {
  const digits = id.slice(id.indexOf("_") + 1).slice(0, TIME_CHARS);
  return Array.from(digits).reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0);
}

export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  return idPattern(kind).test(text);
}

export function idPattern(kind: IdKind): RegExp {
  return new RegExp(`^${ID_PREFIXES[kind]}_[0-9a-hjkmnp-tv-z]{26}$`);
}
