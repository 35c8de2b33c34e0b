import { Operators } from "../../apps/server/src/modules/operators/operators.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import type { OperatorPermission } from "../../packages/contract/src/operator.ts";
import { taken } from "../server/answers.ts";
import type { Caller, RunningServer } from "./running-server.ts";

let employed = 0;

/** Creates an operator of a brand through the same module as the command. */
export async function employ(
  { database }: Pick<RunningServer, "database">,
  permissions: readonly OperatorPermission[],
  merchantId = "mer_demo",
): Promise<Caller & { readonly name: string }> {
  employed += 1;
  const name = `Operator ${employed}`;
  const operators = new Operators(database.pool, systemClock, systemEntropy);
  const { token } = taken(await operators.add(merchantId, { name, permissions, days: 1 }));
  return { name, headers: { authorization: `Bearer ${token}` } };
}
