import type { FieldPattern, readFieldPattern } from "@perya/contract/field-pattern";

export interface FieldRule {
  readonly required: boolean;
  readonly pattern: string;
  readonly maxLength: number;
}

let read: typeof readFieldPattern | null = null;
const known = new WeakMap<Pick<FieldRule, "pattern">, FieldPattern>();

/** Loads the reader of patterns, 40 kB that only forms of a brand's own rules need. */
export async function bringPatternReader(): Promise<void> {
  ({ readFieldPattern: read } = await import("@perya/contract/field-pattern"));
}

/**
 * Whether the whole value matches the brand's pattern. The server's own reader judges, so that both
 * agree and no value blocks the page; until it has loaded, the server judges alone.
 */
export function fitsRule(value: string, rule: Pick<FieldRule, "pattern">): boolean {
  if (read === null) return true;
  const fits = known.get(rule) ?? patternOf(rule.pattern, read);
  known.set(rule, fits);
  return fits(value);
}

function patternOf(pattern: string, read: typeof readFieldPattern): FieldPattern {
  const found = read(pattern);
  return found.ok ? found.value : () => true;
}
