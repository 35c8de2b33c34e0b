import { notify } from "@perya/ui/notify";
import { type SessionInfo, startSession } from "../../shell/session.ts";
import { textOf } from "../../shell/text.ts";
import { holdPassword } from "./held-password.ts";
import type { GivenLogin } from "./login-body.ts";
import { type RememberedLogin, rememberedLogins } from "./remembered-login.ts";

/** Every log-in by this page ends here; null for one that came from outside. */
export function finishLogin(session: SessionInfo, given: GivenLogin | null): void {
  if (given === null) startSession(session, { autoLogin: false });
  else startGiven(session, given);
  notify.success(textOf("auth.welcome", { name: session.userName }));
}

function startGiven(session: SessionInfo, { remember, typed, ...login }: GivenLogin): void {
  startSession(session, { autoLogin: remember });
  if (typed && login.type === "username") holdPassword(session.token, login.password);
  if (remember) void rememberedLogins.remember({ ...login, password: keptPassword(login) });
  else rememberedLogins.forget();
}

/** An SMS code is valid once. */
function keptPassword({ type, password }: RememberedLogin): string {
  return type === "sms" ? "" : password;
}
