import type { AnyCallKey } from "./calls.ts";

/**
 * The flags and permission keys of the specification (accounts §6, games §6), and ours (REDRAIN,
 * WITHDRAW, OPENACC, COCKFIGHT), each with everything that depends on it: while a key is off, it is
 * hidden at every entry and refused by the server. A menu entry shows while the path that it leads
 * to is on. A key without a screen has an empty row.
 *
 * A key does not close what a player has begun: an opened deposit, an open bet and a requested
 * withdrawal can still be seen and finished, with everything that a withdrawal asks for. The
 * browser learns from the status which paths are closed, and loads none of this.
 */
export const KEY_PATHS = {
  TRANSBETREPMEM3: ["/m/gameRecord"],
  TRANSREC3: ["/m/transaction/record"],
  PERSREP: ["/m/profitandloss"],
  REWCEN3: ["/m/rewardCenter"],
  PTSYS3: ["/m/mall/mallHome"],
  SECPRIV: ["/m/securityCenter"],
  AGEPAG: ["/m/agent/team/overview"],
  DOWNMAN: ["/m/member/team"],
  AGENTRANSMULTDOWN3: ["/m/transaction/record?types=A"],
  AGETEAMPNL3: ["/m/agent/team/pnl"],
  TEAMBETTING3: ["/m/teamBetting"],
  // The agent's way to the chat, which has no screen yet.
  GAMSER: [],
  AGEREBINC3: ["/m/member/agent/agentRebeat", "/m/member/teamRebate"],
  MAILCEN: ["/m/messages", "/m/webEmail"],
  MANPLAYREB3: ["/m/member/manualRebate"],
  DEPOSIT: ["/m/voucherCenter"],
  WITHDRAW: ["/m/withdraw"],
  MOBILEVERCODELOGIN3: [],
  FREEPLAY3: ["/m/trail"],
  FACEBOOKLOGIN3: [],
  GOOGLELOGIN3: [],
  CBS3: ["/m/chat"],
  VIPBENEFIT: ["/m/member/benefits"],
  REFERRAL: ["/m/inviteFriends"],
  MISSION: ["/m/leaderBoard"],
  REDRAIN: ["/m/redRain"],
  OPENACC: ["/m/agentRegister"],
  COCKFIGHT: ["/m/cockfight", "/m/play/cockfight"],
} as const satisfies Record<string, readonly `/m/${string}`[]>;

export type PermissionKey = keyof typeof KEY_PATHS;

export interface KeyCalls {
  /** Entries that lead to no path of their own, by their kind. */
  readonly entries: readonly KeyedEntry[];
  /** Refused before anything in them is read. */
  readonly calls: readonly AnyCallKey[];
  /** These calls refuse by themselves: by what they ask for, or only after answering a repeat. */
  readonly asked: readonly AnyCallKey[];
}
type KeyedEntry =
  | "referral popup"
  | "security popup"
  | "free trial"
  | "code by SMS"
  | "Facebook"
  | "Google";

const NONE: KeyCalls = { entries: [], calls: [], asked: [] };

export const KEY_CALLS: Readonly<Record<PermissionKey, KeyCalls>> = {
  // A game's own history belongs to the game, so the call asks by itself.
  TRANSBETREPMEM3: { ...NONE, asked: ["GET /api/v1/game-records"] },
  TRANSREC3: { ...NONE, calls: ["GET /api/v1/transactions"] },
  PERSREP: NONE,
  REWCEN3: NONE,
  PTSYS3: NONE,
  SECPRIV: {
    entries: ["security popup"],
    calls: [
      "GET /api/v1/member/sessions",
      "DELETE /api/v1/member/sessions/{id}",
      "DELETE /api/v1/member/sessions",
      "GET /api/v1/member/logins",
      "POST /api/v1/member/email",
      "POST /api/v1/member/mobile-code",
      "POST /api/v1/member/mobile",
      "POST /api/v1/member/totp",
      "POST /api/v1/member/totp/confirm",
      "POST /api/v1/member/totp/recovery-codes",
      "DELETE /api/v1/member/totp",
      "POST /api/v1/member/passkeys/options",
      "POST /api/v1/member/passkeys",
      "DELETE /api/v1/member/passkeys/{id}",
      "GET /api/v1/member/external-accounts",
      "POST /api/v1/member/external-accounts",
      "POST /api/v1/member/external-accounts/finish",
      "DELETE /api/v1/member/external-accounts/{provider}",
    ],
    asked: [],
  },
  AGEPAG: { ...NONE, calls: ["GET /api/v1/agent/team-kpi"] },
  DOWNMAN: NONE,
  AGENTRANSMULTDOWN3: NONE,
  AGETEAMPNL3: NONE,
  TEAMBETTING3: NONE,
  GAMSER: NONE,
  AGEREBINC3: NONE,
  MAILCEN: NONE,
  MANPLAYREB3: NONE,
  DEPOSIT: { ...NONE, calls: ["POST /api/v1/cashier/deposits"] },
  WITHDRAW: { ...NONE, calls: ["POST /api/v1/cashier/withdrawals"] },
  MOBILEVERCODELOGIN3: {
    entries: ["code by SMS"],
    calls: [],
    asked: ["POST /api/v1/auth/login", "POST /api/v1/auth/sms-code"],
  },
  FREEPLAY3: {
    entries: ["free trial"],
    calls: ["POST /api/v1/auth/test-play", "GET /api/v1/auth/trial-account"],
    asked: [],
  },
  FACEBOOKLOGIN3: {
    entries: ["Facebook"],
    calls: [],
    asked: ["POST /api/v1/auth/external", "POST /api/v1/member/external-accounts"],
  },
  GOOGLELOGIN3: {
    entries: ["Google"],
    calls: [],
    asked: ["POST /api/v1/auth/external", "POST /api/v1/member/external-accounts"],
  },
  CBS3: NONE,
  VIPBENEFIT: NONE,
  REFERRAL: {
    entries: ["referral popup"],
    calls: ["GET /api/v1/member/invitation"],
    asked: [],
  },
  MISSION: NONE,
  REDRAIN: {
    ...NONE,
    calls: ["GET /api/v1/red-rain"],
    asked: ["POST /api/v1/red-rain/catches"],
  },
  OPENACC: NONE,
  COCKFIGHT: {
    ...NONE,
    calls: ["GET /api/v1/cockfight/matches/{id}"],
    asked: ["POST /api/v1/cockfight/bets"],
  },
};

/** The compiler has checked that these are the keys. */
export const PERMISSION_KEY_NAMES = Object.keys(KEY_PATHS) as readonly PermissionKey[];

/** The key that opens a whole call; null for a call without a key, or one that checks by itself. */
export function keyOfCall(call: string): PermissionKey | null {
  const holds = (key: PermissionKey) => KEY_CALLS[key].calls.some((one) => one === call);
  return PERMISSION_KEY_NAMES.find(holds) ?? null;
}

/**
 * The key of a screen, by its path and query; null for screens that every brand has. Capitals do
 * not matter, as in the router.
 */
export function keyOfPath(address: string): PermissionKey | null {
  const given = partsOf(address);
  const holds = (screen: string) => {
    const { path, query } = partsOf(screen);
    return path === given.path && query.every((one) => given.query.includes(one));
  };
  const found = PERMISSION_KEY_NAMES.flatMap((key) =>
    KEY_PATHS[key].filter(holds).map((path) => ({ key, path })),
  );
  // The longest match wins: a query makes it another screen.
  return found.sort((one, other) => other.path.length - one.path.length)[0]?.key ?? null;
}

function partsOf(address: string): { readonly path: string; readonly query: readonly string[] } {
  const [path = "", query = ""] = (address.toLowerCase().split("#")[0] ?? "").split("?");
  return { path, query: query.split("&").filter((one) => one !== "") };
}

/** The paths that are closed for a brand; the status lists them. */
export function closedPaths(isOn: (key: PermissionKey) => boolean): string[] {
  return PERMISSION_KEY_NAMES.filter((key) => !isOn(key)).flatMap((key) => KEY_PATHS[key]);
}
