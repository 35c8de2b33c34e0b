import type { Clock, Entropy } from "@perya/kernel/instant";
import type pg from "pg";
import type { ServerModule } from "../../platform/server-module.ts";
import { operatorRoutes } from "./operators.routes.ts";
import { Operators } from "./operators.ts";

export interface OperatorsModuleOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export function operatorsModule({ pool, clock, entropy }: OperatorsModuleOptions) {
  const operators = new Operators(pool, clock, entropy);
  return { operators, calls: operatorRoutes(operators) } satisfies ServerModule & {
    readonly operators: Operators;
  };
}
