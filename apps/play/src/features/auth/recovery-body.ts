import type { Body } from "@perya/client/api";

/** Both without the space that a keyboard adds after a word. */
export function recoveryBody(values: {
  readonly username: string;
  readonly email: string;
}): Body<"POST /api/v1/auth/forgot-password"> {
  return { username: values.username.trim(), email: values.email.trim() };
}
