import type pg from "pg";
import { isOnCluster } from "../setup/test-database.ts";

/** The statements that fail, each with the end of its connection, as after a kill. */
export interface BrokenStatement {
  readonly table: string;
  readonly does: "INSERT" | "UPDATE" | "DELETE";
}

/** Runs `work` while such statements end their connection; afterwards they work again. */
export async function whileBroken<T>(
  pool: pg.Pool,
  { table, does }: BrokenStatement,
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // Where a table stands on every node, it is the coordinator's own copy that ends the connection.
  if (isOnCluster()) await client.query("SET citus.enable_unsafe_triggers TO on");
  await client.query(
    `CREATE FUNCTION test_broken() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$`,
  );
  await client.query(
    `CREATE TRIGGER test_broken BEFORE ${does} ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION test_broken()`,
  );
  client.release(true);
  try {
    return await work();
  } finally {
    await pool.query("DROP FUNCTION test_broken CASCADE");
  }
}

/** A pool whose commits succeed at the server, while their answers are lost. */
export function withCommitsUnanswered(pool: pg.Pool): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== "connect") return typeof value === "function" ? value.bind(target) : value;
      return async () => unanswering(await target.connect());
    },
  });
}

function unanswering(client: pg.PoolClient): pg.PoolClient {
  return new Proxy(client, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== "query") return typeof value === "function" ? value.bind(target) : value;
      return async (...given: Parameters<typeof target.query>) => {
        const answer = await target.query(...given);
        if ((given[0] as unknown) !== "COMMIT") return answer;
        throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      };
    },
  });
}
