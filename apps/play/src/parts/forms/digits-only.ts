import type { UseFormRegisterReturn } from "react-hook-form";

/** A field of the form that drops everything but digits while it is typed or pasted. */
export function digitsOnly<N extends string>(
  field: UseFormRegisterReturn<N>,
): UseFormRegisterReturn<N> {
  return {
    ...field,
    onChange: (event) => {
      event.target.value = String(event.target.value).replace(/\D/g, "");
      return field.onChange(event);
    },
  };
}
