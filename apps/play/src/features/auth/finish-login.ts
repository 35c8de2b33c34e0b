import type { Reply } from "@perya/client/api";
import { notify } from "../../shell/notify.ts";
import { startSession } from "../../shell/session.ts";
import { textOf } from "../../shell/text.ts";
import { holdPassword } from "./held-password.ts";
import type { GivenLogin } from "./login-body.ts";
import { type RememberedLogin, rememberedLogins } from "./remembered-login.ts";

export type Session = Reply<"POST /api/v1/auth/test-play">;

/** Every log-in by this page ends here; null for one that came from outside. */
export function finishLogin(session: Session, given: GivenLogin | null): void {
  if (given === null) startSession(session, { autoLogin: false });
  else startTyped(session, given);
  notify.success(textOf("auth.welcome", { name: session.userName }));
}

function startTyped(session: Session, { remember, ...login }: GivenLogin): void {
  startSession(session, { autoLogin: remember });
  if (login.type === "username") holdPassword(session.token, login.password);
  if (remember) void rememberedLogins.remember({ ...login, password: keptPassword(login) });
  else rememberedLogins.forget();
}

/** A code by SMS is good once. */
function keptPassword({ type, password }: RememberedLogin): string {
  return type === "sms" ? "" : password;
}
