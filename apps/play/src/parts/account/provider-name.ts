import type { Body } from "@perya/client/api";

export type Provider = Body<"POST /api/v1/auth/external">["provider"];

/** Proper names, the same in every language. */
export const PROVIDER_NAMES: Readonly<Record<Provider, string>> = {
  google: "Google",
  facebook: "Facebook",
};
