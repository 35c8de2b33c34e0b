import type { MessageId } from "../../shell/text.ts";

const METHODS: Readonly<Record<string, MessageId>> = {
  password: "security.by_password",
  sms: "security.by_sms",
  google: "security.by_google",
  facebook: "security.by_facebook",
  passkey: "security.by_passkey",
};

/** How somebody logged in, in words; a way that is not known here is still a log-in. */
export function methodLabel(method: string): MessageId {
  return METHODS[method] ?? "security.by_other";
}
