import { runChecks } from "./checks.mjs";
import { ensureInstalled } from "./install.mjs";
import { requireNode } from "./project.mjs";
import { inTurn } from "./turn.mjs";
import { runVitest } from "./vitest.mjs";

const RULES = [
  ...["boundaries", "house-games", "long-functions", "style-classes", "words"].map(
    (name) => `tests/${name}.test.ts`,
  ),
  "tests/traceability",
];

/** Only the fast checks: types, lint, and the rules about the whole repository. */
requireNode();
await inTurn(ensureInstalled);
const checks = await runChecks();
const rules = await runVitest(RULES, {
  TEST_DATABASE_URL: "none",
});
const failed = checks.failed + rules.failed;
process.stdout.write(`${checks.passed + rules.passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
