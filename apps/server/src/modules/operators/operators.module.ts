import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { operatorRoutes } from "./operators.routes.ts";
import { Operators } from "./operators.ts";

export function operatorsModule({ pool, clock, entropy }: ModuleParts) {
  const operators = new Operators(pool, clock, entropy);
  return { ...{ operators }, calls: operatorRoutes(operators) } satisfies ServerModule;
}
