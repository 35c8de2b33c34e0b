import pg from "pg";

/** The work of a node of a plan, in PostgreSQL's words. */
interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * A pool that runs statements on the given pool, and the most rows of a table that one statement
 * has visited, returned or not. Each is planned both for its values and for any values, as
 * PostgreSQL plans a named statement from its sixth run on.
 */
export function countRows(
  pool: pg.Pool,
  table: string,
): { readonly counting: pg.Pool; readonly visited: () => number } {
  let most = 0;
  const query = async (asked: string | { text: string; values: unknown[] }, given: unknown[]) => {
    const { text, values } = typeof asked === "string" ? { text: asked, values: given } : asked;
    const client = await pool.connect();
    try {
      await client.query(`PREPARE asked AS ${text}`);
      for (const mode of ["force_custom_plan", "force_generic_plan"]) {
        await client.query(`SET plan_cache_mode = ${mode}`);
        const { rows } = await client.query<{ "QUERY PLAN": readonly [{ Plan: PlanNode }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked (${values.map(literal).join(", ")})`,
        );
        for (const row of rows) most = Math.max(most, rowsOf(row["QUERY PLAN"][0].Plan, table));
      }
    } finally {
      client.release(true);
    }
    return pool.query(text, values);
  };
  // The counted code calls `query` in one of these two forms.
  return { counting: { query } as unknown as pg.Pool, visited: () => most };
}

function rowsOf(node: PlanNode, table: string): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan, table), 0);
  if (node["Relation Name"] !== table) return below;
  const removed =
    (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return below + (node["Actual Rows"] + removed) * node["Actual Loops"];
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(",")}}` : String(value));
}
