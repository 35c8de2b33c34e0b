import { MINUTE_MS } from "@perya/kernel/instant";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";
import { pagesOf } from "./keyset-pages.ts";

export function accountQueries(api: Api) {
  const read = readsOf(api);
  const pages = pagesOf(api);
  return {
    usernameAvailability: (username: string) =>
      read(
        "GET /api/v1/auth/username-availability",
        ["username-availability", username],
        MINUTE_MS,
        { query: { username } },
      ),
    invitation: () =>
      read("GET /api/v1/member/invitation", [OWN_KEY, "invitation"], Number.POSITIVE_INFINITY),
    security: () => read("GET /api/v1/member/security", [OWN_KEY, "security"], MINUTE_MS),
    externalAccounts: () =>
      read("GET /api/v1/member/external-accounts", [OWN_KEY, "security", "external"], MINUTE_MS),
    // Another device may have logged in since.
    sessions: () => read("GET /api/v1/member/sessions", [OWN_KEY, "security", "sessions"], 0),
    logins: () => pages("GET /api/v1/member/logins", [OWN_KEY, "security", "logins"], {}, 0),
  };
}
