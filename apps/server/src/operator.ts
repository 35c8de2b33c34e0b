import { parseArgs } from "node:util";
import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { command, say } from "./command.ts";
import { type BrandCode, brandCodes, createBrands } from "./modules/brand/brand.ts";
import { Operators } from "./modules/operators/operators.ts";
import { systemClock } from "./platform/clock.ts";
import { systemEntropy } from "./platform/entropy.ts";

const USAGE = `Who acts for a brand through /api/v1/operator:

  npm run operator -- add --brand CODE --name NAME --permissions a,b [--days 90]
  npm run operator -- revoke --brand CODE --name NAME
  npm run operator -- list --brand CODE

Permissions: ${OPERATOR_PERMISSIONS.join(", ")}
`;

/**
 * `npm run operator`: the token of a new operator is printed once and stored as a hash only. Exit
 * code 0: done; 1: refused, for the reason that is printed.
 */
process.exitCode = await command(async ({ pool }) => {
  await createBrands(pool, systemClock, sayFault).all();
  return run(new Operators(pool, systemClock, systemEntropy), await brandCodes(pool));
});

async function run(operators: Operators, brands: readonly BrandCode[]): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      brand: { type: "string" },
      name: { type: "string", default: "" },
      permissions: { type: "string", default: "" },
      days: { type: "string", default: "90" },
    },
  });
  const [what] = positionals;
  const brand = brands.find(({ code }) => code === values.brand);
  if (what === undefined || values.brand === undefined) return say(USAGE, 1);
  if (brand === undefined) {
    return say(
      `There is no brand ${values.brand}: ${brands.map(({ code }) => code).join(", ")}\n`,
      1,
    );
  }
  if (what === "add") {
    const permissions = values.permissions.split(",").filter((one) => one !== "");
    const given = { name: values.name, permissions, days: Number(values.days) };
    const added = await operators.add(brand.id, given);
    if (!added.ok) {
      const faults = (added.error.fields ?? []).map(({ field, code }) => `--${field}: ${code}`);
      return say(`${faults.join("\n")}\n\n${USAGE}`, 1);
    }
    const { operator, token } = added.value;
    return say(`${operator.name} (${operator.id}), shown this once:\n${token}\n`, 0);
  }
  if (what === "revoke") {
    const revoked = await operators.revoke(brand.id, values.name);
    return revoked
      ? say(`The token of ${values.name} opens nothing any more.\n`, 0)
      : say(`${brand.code} has no operator ${values.name}.\n`, 1);
  }
  if (what !== "list") return say(USAGE, 1);
  for (const one of await operators.list(brand.id)) {
    const until = new Date(one.expiresAt).toISOString().slice(0, 10);
    const state = one.revokedAt === null ? `until ${until}` : "revoked";
    say(`${one.id}  ${one.name}  ${one.permissions.join(",")}  ${state}\n`, 0);
  }
  return 0;
}

/** An operator who acts for the brand is listed and revoked all the same. */
function sayFault(code: string, fault: string): void {
  say(`The row of the brand ${code} is at fault:\n${fault}\n`, 1);
}
