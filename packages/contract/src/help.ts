import { z } from "zod";
import { call } from "./call.ts";
import { languageWire } from "./wire.ts";

export const helpCalls = {
  "GET /api/v1/help": call({
    summary: "The brand's help entries in a language, in the brand's order",
    callers: ["visitor"],
    query: z.object({
      lang: languageWire.optional(),
      /** One variant of accounts §7 uses this name, and also names the device, always the same. */
      language: languageWire.optional(),
      device: z.literal("MOBILE").optional(),
    }),
    reply: z.object({
      entries: z.array(
        z.object({
          /** The entry's name in links: `faq`, `terms`, … */
          tag: z.string(),
          title: z.string(),
          /** HTML as the operator wrote it; pages must remove what could run before showing it. */
          content: z.string(),
        }),
      ),
    }),
  }),
} as const;
