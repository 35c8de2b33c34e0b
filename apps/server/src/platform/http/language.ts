import type { FastifyRequest } from "fastify";

/** The `x-language` header (TY, EN, …), as the browser's picker stored it; else the brand's. */
export function languageOf(request: FastifyRequest, fallback: string): string {
  const given = request.headers["x-language"];
  return typeof given === "string" && /^[A-Z]{2}(_[A-Z]{2})?$/.test(given) ? given : fallback;
}
