import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * From its next start the embedded database of a folder recovers until it is let go, as on a slow
 * disk: its archive does not answer. If it is stopped meanwhile, it begins anew.
 */
export function holdRecovery(dataDir: string): { letGo(): void } {
  const cluster = join(dataDir, "postgres", "cluster");
  const gate = join(dataDir, "let-go");
  // Without `hot_standby` it is not ready before it has recovered.
  appendFileSync(
    join(cluster, "postgresql.auto.conf"),
    `hot_standby = off\nrestore_command = 'until [ -e "${gate}" ]; do sleep 0.1; done; false'\n`,
  );
  writeFileSync(join(cluster, "recovery.signal"), "");
  return { letGo: () => writeFileSync(gate, "") };
}
