import type { Api } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { dropAutoLogin, startSession, useSession } from "../../shell/session.ts";
import { loginBody } from "./login-body.ts";
import { type RememberedLogins, rememberedLogins } from "./remembered-login.ts";

/** Codes that say that this password will not work: it was judged wrong, or cannot be one. */
const FOR_GOOD: readonly RefusalCode[] = [
  "login_failed",
  "invalid_input",
  "not_member_account",
  "not_agent_account",
];

/**
 * Logs in silently with the remembered log-in; where that fails, the visitor stays a visitor. After
 * a refusal of the password it is not tried again, because each wrong password counts against the
 * account. A server that is busy or closed has not judged the password, so the next start tries
 * again. A log-in by hand ends it before its reply can replace the new cookie. The password is not
 * held for a change: nobody typed it, so it does not prove who is there.
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
