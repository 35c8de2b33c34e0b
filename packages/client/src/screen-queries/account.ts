import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { cursor, keyset } from "./keyset-pages.ts";

export function accountQueries({ call }: Api) {
  return {
    usernameAvailability: (username: string) =>
      queryOptions({
        queryKey: ["username-availability", username],
        queryFn: ({ signal }) =>
          call("GET /api/v1/auth/username-availability", { query: { username }, signal }),
        staleTime: MINUTE_MS,
        retry: false,
      }),
    invitation: () =>
      queryOptions({
        queryKey: [OWN_KEY, "invitation"],
        queryFn: ({ signal }) => call("GET /api/v1/member/invitation", { signal }),
        staleTime: Number.POSITIVE_INFINITY,
      }),
    security: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security"],
        queryFn: ({ signal }) => call("GET /api/v1/member/security", { signal }),
        staleTime: MINUTE_MS,
      }),
    externalAccounts: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security", "external"],
        queryFn: ({ signal }) => call("GET /api/v1/member/external-accounts", { signal }),
        staleTime: MINUTE_MS,
      }),
    sessions: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security", "sessions"],
        queryFn: ({ signal }) => call("GET /api/v1/member/sessions", { signal }),
        // Another device may have logged in since.
        staleTime: 0,
      }),
    logins: () =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "security", "logins"],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/member/logins", { query: cursor(pageParam), signal }),
        ...keyset,
        staleTime: 0,
      }),
  };
}
