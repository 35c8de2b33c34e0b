import { parsed, readStorage, writeStorage } from "@perya/client/browser-storage";
import { createSession } from "@perya/client/session";
import type { AnySession } from "@perya/client/stored-session";

/** The key that RememberedLogins uses. */
const REMEMBERED_KEY = "MC_REMEMBERED_LOGIN";
const TRIAL_NAME_KEY = "trialName";
const AUTO_LOGIN_KEY = "autoLogin";
const TRIAL_TYPE = 4;

export interface SessionInfo extends AnySession {
  /** 0 member; 1 and 2 agents; 4 trial; 40 to 42 internal accounts. */
  readonly type: number;
  readonly firstTimeLogin: boolean;
}

export type { StillAsks } from "@perya/client/session";
export const playerSession = createSession<SessionInfo>({
  keys: {
    // The specification's key.
    session: "MC_SESSION_INFO",
    autoLogin: AUTO_LOGIN_KEY,
    lapsed: "MC_SESSION_LAPSED",
    leaving: "MC_SESSION_LEAVING",
    lastPlayer: "MC_LAST_PLAYER",
  },
  isSession,
  // The device's and the brand's entries. A new key counts as the player's until it is listed.
  ofTheDevice: [
    AUTO_LOGIN_KEY,
    // Only the name, after a sign-out.
    REMEMBERED_KEY,
    ...["MC_LANGUAGE", "MC_THEME", "MC_SOUND"],
    ...["MC_DOWNLOAD_BAR_HIDDEN", "MC_POPUPS_HIDDEN", "MC_STATUS", "MC_VENDORS"],
    ...["lottList", "elottList", "getGameLotts"],
    // Everyone is shown these before results; a player's own pairs and client seeds are deleted.
    ...["chain", "key", "flight", "fight", "draw", "fixture"].map((kind) => `MC_SHOWN:${kind}`),
  ],
  forgetPerson: forgetPassword,
  noteInTab: (session) =>
    writeStorage(
      "sessionStorage",
      TRIAL_NAME_KEY,
      isTrial(session) ? (session?.userName ?? null) : null,
    ),
  now: () => Date.now(),
});

export const {
  useSession,
  currentSession,
  askerNow,
  keepSessionOf,
  startSession,
  wantsAutoLogin,
  dropAutoLogin,
  beginLeaving,
  stay,
  doubtLeaving,
  leavingSince,
  noteAlive,
  leaveSession,
  isReplaced,
  lapseSession,
  followOtherTabs,
} = playerSession;

export function isTrial(session: SessionInfo | null): boolean {
  return session?.type === TRIAL_TYPE;
}

function isSession(value: unknown): value is SessionInfo {
  return (
    typeof value === "object" &&
    value !== null &&
    "token" in value &&
    typeof value.token === "string" &&
    value.token !== "" &&
    "userName" in value &&
    typeof value.userName === "string" &&
    "type" in value &&
    typeof value.type === "number"
  );
}

function forgetPassword(): void {
  const remembered = parsed(readStorage("localStorage", REMEMBERED_KEY));
  // Sealed, but no longer anyone's; the rest of RememberedLogins may not be loaded.
  if (typeof remembered === "object" && remembered !== null) {
    const nameAlone = JSON.stringify({ ...remembered, password: "" });
    writeStorage("localStorage", REMEMBERED_KEY, nameAlone);
  }
}
