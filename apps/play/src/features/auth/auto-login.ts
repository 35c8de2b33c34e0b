import type { Api } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { dropAutoLogin, startSession, useSession } from "../../shell/session.ts";
import { loginBody } from "./login-body.ts";
import { type RememberedLogins, rememberedLogins } from "./remembered-login.ts";

/** What says that this password will not do: it was judged, or is none that can be. */
const FOR_GOOD: readonly RefusalCode[] = [
  "login_failed",
  "invalid_input",
  "not_member_account",
  "not_agent_account",
];

/**
 * Signs in by what is remembered, without a word: where that fails, the visitor stays one. After
 * a refusal of the password it is not tried again, for a wrong one would be counted against the
 * account; a house that is busy or closed has judged none, and the next start asks it again.
 * Whoever logs in by hand meanwhile ends it, before its reply takes the place of their cookie.
 * The password is not held for a change: nobody has typed it, so it says nothing of who is there.
 */
export async function autoLogin(
  api: Pick<Api, "call">,
  remembered: Pick<RememberedLogins, "read"> = rememberedLogins,
): Promise<void> {
  const overtaken = new AbortController();
  const { signal } = overtaken;
  const unfollow = useSession.subscribe(() => overtaken.abort());
  try {
    const login = await remembered.read();
    if (login === null || login.type !== "username" || login.password === "") return;
    if (signal.aborted) return;
    const reply = await api.call("POST /api/v1/auth/login", { body: loginBody(login), signal });
    if ("secondFactor" in reply || signal.aborted) return;
    startSession(reply, { autoLogin: true });
  } catch (error) {
    const isForGood = error instanceof ApiRefusal && FOR_GOOD.includes(error.problem.code);
    if (isForGood && !signal.aborted) dropAutoLogin();
  } finally {
    unfollow();
  }
}
