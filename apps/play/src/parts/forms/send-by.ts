import type { FieldValues, UseFormReturn } from "react-hook-form";

export function sendBy<V extends FieldValues>(
  form: UseFormReturn<V>,
  by: { readonly mutate: (values: V) => void },
) {
  return form.handleSubmit((values) => by.mutate(values));
}
