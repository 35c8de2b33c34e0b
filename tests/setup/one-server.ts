import { it } from "vitest";
import { isOnCluster } from "./test-database.ts";

/** Why a test is of one PostgreSQL alone, and says nothing of a cluster. */
type Reason =
  /** It counts the rows that a plan visits; a coordinator's plan has those of its nodes as text. */
  | "visited rows"
  /** It ends or breaks a server, a session or a statement by PostgreSQL's own means. */
  | "a broken server"
  /** A lock, a limit or a size is what one PostgreSQL has. */
  | "its own limits";

/** `it` for a test of one PostgreSQL: on a cluster it does not run. */
export function itOfOneServer(_: Reason) {
  return it.skipIf(isOnCluster());
}
