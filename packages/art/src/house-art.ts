import type { Subject } from "./subject.ts";

/** The drawing of one of the house's own games, found by the game's id: `house/<id>.ts`. */
export async function houseSubject(id: string): Promise<Subject> {
  const drawing: { readonly default: Subject } = await import(`./house/${id}.ts`);
  return drawing.default;
}
