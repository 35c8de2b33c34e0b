import type { FieldValues, UseFormReturn } from "react-hook-form";

/** Sends a form without faults. */
export function sendBy<V extends FieldValues>(
  form: UseFormReturn<V>,
  by: { readonly mutate: (values: V) => void },
) {
  return form.handleSubmit((values) => by.mutate(values));
}
