export function fieldIn<N extends string>(
  ...names: readonly N[]
): (field: string) => N | undefined {
  return (field) => names.find((name) => name === field);
}
