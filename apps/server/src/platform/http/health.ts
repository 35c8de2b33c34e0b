import type { FastifyInstance } from "fastify";
import type pg from "pg";

/** Alive, ready and which version for whoever runs the process; the ping for players. */
export function serveHealth(app: FastifyInstance, pool: pg.Pool, version: string): void {
  app.get("/livez", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("ok\n"),
  );

  app.get("/readyz", async (_request, reply) => {
    try {
      await pool.query("SELECT 1");
      return reply.type("text/plain; charset=utf-8").send("ok\n");
    } catch {
      return reply
        .code(503)
        .type("text/plain; charset=utf-8")
        .send("the database does not answer\n");
    }
  });

  app.get("/version", async (_request, reply) => reply.send({ version }));

  // Where the specification has it, outside the interface; asked from the brand's other addresses.
  app.get("/common/v.1.0.1/ping.json", async (_request, reply) =>
    reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cache-control", "no-store")
      .send({ ping: "pong" }),
  );
}
