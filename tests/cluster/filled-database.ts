import { makeTemplate } from "../e2e/perya.ts";
import { createClusterDatabase } from "../setup/cluster-database.ts";

/**
 * `filled-database.ts NAME`: a database with the demo on the cluster of TEST_CITUS_URL. The demo
 * lives through its 90 days before the database joins the cluster, as an operator's does that grows
 * into one: that is many times faster, and the next start has rows to spread.
 */
const [name = ""] = process.argv.slice(2);
const database = await createClusterDatabase(process.env.TEST_CITUS_URL ?? "", name);
process.env.DATABASE_URL = database.url;
try {
  (await makeTemplate()).remove();
  await database.join();
} catch (error) {
  await database.drop();
  throw error;
}
