import { ApiRefusal } from "@perya/client/refused";
import type { Problem } from "@perya/contract/refusal";
import { useEffect, useRef } from "react";
import type {
  FieldErrors,
  FieldPath,
  FieldValues,
  ResolverResult,
  UseFormReturn,
} from "react-hook-form";
import { faultText } from "../../shell/fault.ts";
import { textOf, useText } from "../../shell/text.ts";
import { RECHECK_MS } from "../../shell/timing.ts";
import type { Faults } from "../account/account-rules.ts";

export type FieldFaults<V extends FieldValues> = Partial<Record<FieldPath<V>, Faults>>;

/** The verdict on a whole form in its library's format; several faults of a field share a line. */
export function verdict<V extends FieldValues>(
  values: V,
  faults: FieldFaults<V>,
  textFor: typeof textOf = textOf,
): ResolverResult<V> {
  const errors: Record<string, { type: string; message: string }> = {};
  // Object.entries forgets the type of values.
  for (const [name, found] of Object.entries(faults) as [string, Faults][]) {
    const [first] = found;
    if (first === undefined) continue;
    const texts = found.map(({ id, values: inText }) => textFor(id, inText));
    errors[name] = { type: first.id, message: texts.join(", ") };
  }
  if (Object.keys(errors).length === 0) return { values, errors: {} };
  // Keys of `faults` are paths of the form.
  return { values: {}, errors: errors as FieldErrors<V> };
}

/** Puts the server's faults under the fields; several of one field are joined by a comma. */
export function showProblem<V extends FieldValues>(
  form: Pick<UseFormReturn<V>, "setError">,
  problem: Problem,
  nameOf: (field: string) => FieldPath<V> | undefined,
): void {
  for (const [name, message] of problemTexts(problem, nameOf)) form.setError(name, { message });
}

/** The fault that no field of the form shows; undefined where there is none. */
export function lineOf(
  error: unknown,
  nameOf: (field: string) => string | undefined,
): string | undefined {
  if (error === null) return undefined;
  const fields = error instanceof ApiRefusal ? (error.problem.fields ?? []) : [];
  return fields.some(({ field }) => nameOf(field) !== undefined) ? undefined : faultText(error);
}

export function problemTexts<N extends string>(
  { fields = [] }: Pick<Problem, "fields">,
  nameOf: (field: string) => N | undefined,
): Map<N, string> {
  const texts = new Map<N, string>();
  for (const { field, message } of fields) {
    const name = nameOf(field);
    if (name === undefined) continue;
    const before = texts.get(name);
    texts.set(name, before === undefined ? message : `${before}, ${message}`);
  }
  return texts;
}

/** A form may be sent once something in it was touched, while it shows no fault. */
export function isReady(state: {
  readonly isDirty: boolean;
  readonly touchedFields: object;
  readonly errors: object;
}): boolean {
  const touched = state.isDirty || Object.keys(state.touchedFields).length > 0;
  return touched && Object.keys(state.errors).length === 0;
}

/** Faults are shown in the language of the page (specification, accounts §4). */
export function useRecheck<V extends FieldValues>(form: UseFormReturn<V>): void {
  const { language } = useText();
  const judgedIn = useRef(language);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the language alone.
  useEffect(() => {
    if (judgedIn.current === language) return;
    judgedIn.current = language;
    return recheckLater(form);
  }, [language]);
}

/** Judges fields with errors again once the language stays unchanged; returns how to cancel. */
export function recheckLater<V extends FieldValues>(
  form: Pick<UseFormReturn<V>, "trigger" | "formState">,
): () => void {
  const timer = setTimeout(() => {
    // The errors of a flat form are keyed by its fields.
    const shown = Object.keys(form.formState.errors) as FieldPath<V>[];
    if (shown.length > 0) void form.trigger(shown);
  }, RECHECK_MS);
  return () => clearTimeout(timer);
}
