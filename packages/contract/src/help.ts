import { z } from "zod";
import { call } from "./call.ts";
import { languageWire } from "./wire.ts";

export const helpCalls = {
  "GET /api/v1/help": call({
    summary: "The brand's help entries in a language, in the brand's order",
    callers: ["visitor"],
    query: z.object({
      lang: languageWire.optional(),
      /** One variant of accounts §7 names the language so, and the device, of which there is one. */
      language: languageWire.optional(),
      device: z.literal("MOBILE").optional(),
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
