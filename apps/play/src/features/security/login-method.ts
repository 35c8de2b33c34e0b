import type { MessageId } from "../../shell/text.ts";

const METHODS: Readonly<Record<string, MessageId>> = {
  password: "security.by_password",
  sms: "security.by_sms",
  google: "security.by_google",
  facebook: "security.by_facebook",
  passkey: "security.by_passkey",
};

/** The text of a log-in's method; an unknown method is still a log-in. */
export function methodLabel(method: string): MessageId {
  return METHODS[method] ?? "security.by_other";
}
