import { z } from "zod";
import { call } from "./call.ts";
import { languageWire } from "./wire.ts";

export const helpCalls = {
  "GET /api/v1/help": call({
    summary: "The brand's help entries in a language, in the brand's order",
    callers: ["visitor"],
    query: z.object({
      lang: languageWire.optional(),
      /** As one variant of accounts §7 sends it. */
      device: z.literal("MOBILE").default("MOBILE"),
    }),
    reply: z.object({
      entries: z.array(
        z.object({
          /** What a link opens the entry by: `faq`, `terms`, … */
          tag: z.string(),
          title: z.string(),
          /** HTML as the operator wrote it; whoever shows it takes off what could run. */
          content: z.string(),
        }),
      ),
    }),
  }),
} as const;
