import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * From its next start the embedded database of a folder recovers for as long as it is held, as it
 * would on a slow disk: it asks an archive that does not answer. Stopped meanwhile, it begins anew.
 */
export function holdRecovery(dataDir: string): { letGo(): void } {
  const cluster = join(dataDir, "postgres", "cluster");
  const gate = join(dataDir, "let-go");
  // Without a hot standby it is not ready before it has recovered.
  appendFileSync(
    join(cluster, "postgresql.auto.conf"),
    `hot_standby = off\nrestore_command = 'until [ -e "${gate}" ]; do sleep 0.1; done; false'\n`,
  );
  writeFileSync(join(cluster, "recovery.signal"), "");
  return { letGo: () => writeFileSync(gate, "") };
}
