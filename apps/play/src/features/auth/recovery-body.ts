import type { Body } from "@perya/client/api";

/** A space that a keyboard leaves behind a word belongs to neither of the two. */
export function recoveryBody(values: {
  readonly username: string;
  readonly email: string;
}): Body<"POST /api/v1/auth/forgot-password"> {
  return { username: values.username.trim(), email: values.email.trim() };
}
