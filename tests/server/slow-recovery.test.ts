import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { startEmbedded } from "../../apps/server/src/platform/postgres/embedded.ts";
import { holdRecovery } from "../setup/held-recovery.ts";
import { makeTestFolder, postmasterOf } from "../setup/postgres.ts";

describe("a server process whose own database recovers for a long time", () => {
  it("ends in order when it is told to, and stops the database too", async () => {
    const folder = makeTestFolder();
    const cluster = join(folder, "postgres", "cluster");
    const log = createLogger({ level: "silent" });
    await (await startEmbedded({ dataDir: folder, log })).stop();
    holdRecovery(folder);
    const child = spawn(process.execPath, ["--import", "tsx", "apps/server/src/main.ts"], {
      env: {
        ...process.env,
        ...{ DATA_DIR: folder, DATABASE_URL: "", NODE_ENV: "test", DEMO_DATA: "false" },
        ...{ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "warn" },
      },
      stdio: "inherit",
    });
    const ended = once(child, "exit");
    try {
      await expect.poll(() => postmasterOf(cluster), { timeout: 60_000 }).not.toBeNull();
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      expect(postmasterOf(cluster)).toBeNull();
    } finally {
      child.kill("SIGKILL");
      const left = postmasterOf(cluster);
      if (left !== null) process.kill(left, "SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
