import type { Api } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import { dropAutoLogin, startSession, useSession } from "../../shell/session.ts";
import { loginBody } from "./login-body.ts";
import { type RememberedLogins, rememberedLogins } from "./remembered-login.ts";

/**
 * Signs in by what is remembered, without a word: where that fails, the visitor stays one. After
 * a refusal it is not tried again, for a wrong password would be counted against the account.
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
    if (error instanceof ApiRefusal && !signal.aborted) dropAutoLogin();
  } finally {
    unfollow();
  }
}
