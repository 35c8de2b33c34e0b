import type { helpCalls } from "@perya/contract/help";
import { ok } from "@perya/kernel/result";
import type pg from "pg";
import type { Routes } from "../identity/identity.ts";
import { textIn } from "./content.ts";
import { helpEntries } from "./help.store.ts";

export function helpRoutes(pool: pg.Pool): Routes<typeof helpCalls> {
  return {
    "GET /api/v1/help": async ({ merchant, query, language }) => {
      const shown = query.lang ?? query.language ?? language;
      const entries = await helpEntries(pool, merchant.id);
      return ok({
        entries: entries.map(({ tag, title, content }) => ({
          tag,
          title: textIn(title, shown),
          content: textIn(content, shown),
        })),
      });
    },
  };
}
