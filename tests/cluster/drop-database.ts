import { clusterDatabase } from "../setup/cluster-database.ts";

/** `drop-database.ts NAME`: removes what `filled-database.ts` made. */
const [name = ""] = process.argv.slice(2);
await (await clusterDatabase(process.env.TEST_CITUS_URL ?? "", name)).drop();
