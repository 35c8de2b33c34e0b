import { queryOptions } from "@tanstack/react-query";
import { api } from "../../shell/server.ts";
import { bringPatternReader } from "../forms/field-rule.ts";

/** The brand's settings for a new account, together with the reader of its patterns. */
export const registerSettings = queryOptions({
  queryKey: ["register-settings"],
  queryFn: async ({ signal }) => {
    const [settings] = await Promise.all([
      api.call("GET /api/v1/auth/register-settings", { signal }),
      // Without it the server judges alone.
      bringPatternReader().catch(() => undefined),
    ]);
    return settings;
  },
  staleTime: 10 * 60_000,
});
