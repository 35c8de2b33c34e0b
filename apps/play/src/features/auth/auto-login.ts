import type { Api } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import { dropAutoLogin, startSession } from "../../shell/session.ts";
import { holdPassword } from "./held-password.ts";
import { loginBody } from "./login-body.ts";
import { type RememberedLogins, rememberedLogins } from "./remembered-login.ts";

/**
 * Signs in by what is remembered, without a word: where that fails, the visitor stays one. After
 * a refusal it is not tried again, for a wrong password would be counted against the account.
 */
export async function autoLogin(
  api: Pick<Api, "call">,
  remembered: Pick<RememberedLogins, "read"> = rememberedLogins,
): Promise<void> {
  const login = await remembered.read();
  if (login === null || login.type !== "username" || login.password === "") return;
  try {
    const reply = await api.call("POST /api/v1/auth/login", { body: loginBody(login) });
    if ("secondFactor" in reply) return;
    startSession(reply, { autoLogin: true });
    holdPassword(reply.token, login.password);
  } catch (error) {
    if (error instanceof ApiRefusal) dropAutoLogin();
  }
}
