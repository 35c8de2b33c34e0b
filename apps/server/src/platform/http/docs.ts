import fastifySwagger from "@fastify/swagger";
import fastifySwaggerUi from "@fastify/swagger-ui";
import type { Call } from "@perya/contract/call";
import type { FastifyInstance } from "fastify";
import { openApiDocument } from "./openapi.ts";

export async function serveDocs(
  app: FastifyInstance,
  calls: Readonly<Record<string, Call>>,
  version: string,
): Promise<void> {
  let made: ReturnType<typeof openApiDocument> | undefined;
  // Made for the first reader: it would be a twelfth of every start.
  const document = {
    toJSON() {
      made ??= openApiDocument(calls, version);
      return made;
    },
  };
  await app.register(fastifySwagger, {
    mode: "static",
    // Our document is plain JSON of OpenAPI 3.1; the plugin's type knows only its own builder's.
    specification: { document: document as never },
  });
  await app.register(fastifySwaggerUi, {
    routePrefix: "/docs",
    staticCSP: false,
    uiConfig: { docExpansion: "list", tryItOutEnabled: false },
  });
}
