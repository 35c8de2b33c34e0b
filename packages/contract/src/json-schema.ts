import { z } from "zod";
import { moneyWire } from "./wire.ts";

const { $schema: _, ...AMOUNT } = z.toJSONSchema(moneyWire, { io: "input" });

/** What is on the wire: of a call's parameters and body by "input", of its reply by "output". */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    // A reader has it as `Money`, which JSON cannot say.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === moneyWire) Object.assign(jsonSchema, AMOUNT);
    },
  });
  return rest;
}
