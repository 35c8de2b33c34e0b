import { readBreaks } from "./breaks.ts";
import { FINISHED, faultsOf, pageOf, readClauses, readTests, writePage } from "./clauses.ts";

/** `npm run traceability`: writes docs/traceability.md and prints the faults. */
const clauses = readClauses();
const tests = readTests();
writePage(pageOf(clauses, tests, readBreaks()));
const faults = faultsOf(clauses, tests, FINISHED);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
