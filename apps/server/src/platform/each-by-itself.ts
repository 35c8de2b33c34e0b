/**
 * Runs pieces of work one after another, each separately: a failure stops no other.
 * @throws AggregateError that names those which failed, once all have run
 */
export async function eachByItself(
  works: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const faults: [string, unknown][] = [];
  for (const [name, run] of Object.entries(works)) {
    try {
      await run();
    } catch (error) {
      faults.push([name, error]);
    }
  }
  if (faults.length === 0) return;
  const said = faults.map(([name, error]) => `${name}: ${String(error)}`).join("; ");
  throw new AggregateError(
    faults.map(([, error]) => error),
    `not done: ${said}`,
  );
}
