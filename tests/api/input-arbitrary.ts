import fc from "fast-check";

/** The part of JSON Schema 2020-12 that the contract's schemas turn into. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Values that a schema accepts. */
export function valid(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(valid));
  switch (schema.type) {
    case "string":
      return validString(schema);
    case "integer":
      return fc.integer({
        min: Math.max(schema.minimum ?? -1_000, -2_147_483_648),
        max: Math.min(schema.maximum ?? 1_000_000, 2_147_483_647),
      });
    case "number":
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valid(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return validObject(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function validString(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === "date") {
    return fc
      .date({ min: new Date("1900-01-01"), max: new Date("2030-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  }
  if (schema.pattern !== undefined) {
    const { pattern, maxLength = 10_000 } = schema;
    return (
      fc
        .stringMatching(new RegExp(pattern), { maxLength })
        // The generator counts characters, and a schema counts UTF-16 units.
        .filter((text) => text.length <= maxLength)
    );
  }
  return fc.string({
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 30, 30),
  });
}

function validObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.properties === undefined) {
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 4,
    });
  }
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties);
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, valid(field)])), {
    requiredKeys: fields.map(([name]) => name).filter((name) => required.has(name)),
  });
}

/** One place in a schema, from its root. */
export type Path = readonly string[];

/** Every field of an object schema, at any depth. */
export function fieldsOf(
  schema: JsonSchema,
  path: Path = [],
): { path: Path; schema: JsonSchema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { path: [...path, name], schema: field },
    ...fieldsOf(field, [...path, name]),
  ]);
}

/** Values that the field's schema rejects, boundary cases first. */
export function invalid(schema: JsonSchema): unknown[] {
  const wrongTypes: unknown[] = [true, [], [1], { a: 1 }, 1e308, -1, 1.5, "\u0000", "💥".repeat(9)];
  const long = "x".repeat(20_000);
  switch (schema.type) {
    case "string":
      return [
        ...wrongTypes.filter((value) => typeof value !== "string"),
        ...(schema.pattern === undefined && schema.enum === undefined ? [] : ["", "-1", "1.5"]),
        ...(schema.pattern === undefined ? [] : ["1e5", "0x10", "٣", " 1", "1\n", "'; --"]),
        ...(schema.maxLength === undefined && schema.pattern === undefined ? [] : [long]),
      ];
    case "integer":
      return [
        ...["1", "", null, true, [], {}, 1.5, 1e21, -0.1],
        ...(schema.minimum === undefined ? [] : [schema.minimum - 1]),
        ...(schema.maximum === undefined ? [] : [schema.maximum + 1]),
      ];
    case "object":
      return [null, [], "{}", 1, true];
    case "boolean":
      return ["true", 1, 0, null, {}];
    default:
      return [];
  }
}

/** A copy with the value at a path replaced; `undefined` removes it. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const parent = typeof root === "object" && root !== null ? { ...root } : {};
  const next = withValue(Reflect.get(parent, name), rest, value);
  if (next === undefined) Reflect.deleteProperty(parent, name);
  else Reflect.set(parent, name, next);
  return parent;
}
