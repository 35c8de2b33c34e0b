import { fastify } from "fastify";
import { afterAll, expect, it } from "vitest";
import { openCashierHarness } from "../../../../../tests/server/cashier-harness.ts";
import { sandboxPages } from "./sandbox-pages.ts";

const harness = await openCashierHarness("sandbox pages");
const app = fastify();

app.addContentTypeParser(
  "application/x-www-form-urlencoded",
  { parseAs: "buffer" },
  (_request, body, done) => done(null, body),
);
sandboxPages(app, harness.sandbox);
await app.ready();

afterAll(async () => {
  await app.close();
});

it.each(["%00", "sbx_%00", "..%2f", "x".repeat(90), "sbx_0123"])(
  "a payment page with an invalid reference (%s) is not found, and does not fail",
  async (reference) => {
    const url = `/pay/sandbox/${reference}`;
    expect((await app.inject({ url })).statusCode).toBe(404);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const paid = await app.inject({ method: "POST", url, headers, payload: "outcome=paid" });
    expect(paid.statusCode).toBe(404);
  },
);
