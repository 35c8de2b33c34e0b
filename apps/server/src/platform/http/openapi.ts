import { type Call, MODULE_HEADER, moduleIdOf, SENT_AT_HEADER } from "@perya/contract/call";
import { refusalsOf } from "@perya/contract/call-refusals";
import { jsonSchemaOf } from "@perya/contract/json-schema";
import { isOperators } from "@perya/contract/operator";
import { REFUSALS } from "@perya/contract/refusal";
import { z } from "zod";
import { splitKey } from "./call-server.ts";

/** OpenAPI 3.1 made from the same declarations that the server serves and the browser calls. */
export function openApiDocument(calls: Readonly<Record<string, Call>>, version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [key, declaration] of Object.entries(calls)) {
    const [method, path] = splitKey(key);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(key, declaration) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Perya",
      version,
      description:
        "Success answers { value }. A refusal answers application/problem+json (RFC 9457). " +
        "Money is { minor, currency }. A command that moves money carries an id minted by the " +
        "caller; sending it again does it once and answers the same.",
    },
    paths,
    components: {
      securitySchemes: {
        session: {
          type: "http",
          scheme: "bearer",
          description: "The storage half; the cookie half goes along",
        },
        operator: {
          type: "http",
          scheme: "bearer",
          description: "An operator's token, as `npm run operator -- add` printed it",
        },
      },
      schemas: { Problem: problemSchema },
    },
  };
}

function bodyContent({ body, form, upload }: Call) {
  if (upload !== undefined) {
    return { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  }
  const content = { schema: body === undefined ? {} : jsonSchemaOf(body, "input") };
  return {
    "application/json": content,
    ...(form === true ? { "application/x-www-form-urlencoded": content } : {}),
  };
}

function operation(key: string, declaration: Call) {
  const open = declaration.callers.includes("visitor") || declaration.callers.includes("signed");
  const codes = refusalsOf(key, declaration);
  return {
    summary: declaration.summary,
    operationId: key,
    tags: [moduleIdOf(key)],
    "x-callers": declaration.callers,
    ...(open ? {} : { security: [isOperators(declaration) ? { operator: [] } : { session: [] }] }),
    parameters: [
      ...parameters("path", declaration.params),
      ...parameters("query", declaration.query),
      ...(declaration.callers.includes("signed") ? [] : [moduleParameter(key), SENT_AT_PARAMETER]),
    ],
    ...(declaration.body === undefined && declaration.upload === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: declaration.encrypted ? 'Sent sealed as { "data": JWE }' : undefined,
            content: bodyContent(declaration),
          },
        }),
    responses: {
      "200": {
        description: "Done",
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["value"],
              properties: { value: jsonSchemaOf(declaration.reply, "output") },
            },
          },
        },
      },
      ...Object.fromEntries(
        [...new Set(codes.map((code) => REFUSALS[code]))].map((status) => [
          String(status),
          {
            description: codes.filter((code) => REFUSALS[code] === status).join(", "),
            content: {
              "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
            },
          },
        ]),
      ),
    },
  };
}

function parameters(place: "path" | "query", schema: z.ZodObject | undefined) {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: place,
    required: place === "path" || !z.safeParse(schema.shape[name] as z.ZodType, undefined).success,
    schema: jsonSchemaOf(field as z.ZodType, "input"), // a ZodObject's shape holds schemas
  }));
}

const SENT_AT_PARAMETER = {
  ...{ name: SENT_AT_HEADER, in: "header", required: false, schema: { type: "integer" } },
  description: "Milliseconds since the epoch by the server's clock; refused where long ago",
};

/** Named by the browser; a caller without it is answered all the same. */
function moduleParameter(key: string) {
  return { name: MODULE_HEADER, in: "header", required: false, schema: { const: moduleIdOf(key) } };
}

const problemSchema = {
  type: "object",
  required: ["type", "code", "status", "title", "detail", "requestId"],
  properties: {
    type: { type: "string" },
    code: { enum: Object.keys(REFUSALS) },
    status: { type: "integer" },
    title: { type: "string" },
    detail: { type: "string" },
    requestId: { type: "string" },
    captchaRequired: { type: "boolean" },
    retryAt: { type: "integer", description: "Milliseconds since the epoch" },
    odds: {
      type: "array",
      items: { type: ["integer", "null"] },
      description: "Offered now for each selection, in thousandths",
    },
    fields: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "code", "message"],
        properties: {
          field: { type: "string" },
          code: { type: "string" },
          limit: { type: "string" },
          unit: {
            type: "string",
            description:
              "What the limit counts: minor units of this currency, `hundredths` of a multiplier, " +
              "`basis_points` or `pixels`; absent where it is a plain number or a day",
          },
          message: { type: "string" },
        },
      },
    },
  },
};
