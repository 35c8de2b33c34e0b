import type { ChildProcess } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { createBrands } from "../../apps/server/src/modules/brand/brand.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { makeBrand } from "./fixtures.ts";
import { startServerProcess } from "./server-process.ts";

let child: ChildProcess | null = null;

const database = await databaseOfFile();

afterAll(async () => {
  child?.kill("SIGKILL");
});

it("a server that starts with a faulty row of the demo brand serves the other brands, and logs the fault", async () => {
  await makeBrand(database.pool, systemClock, { hosts: ["127.0.0.1"] });
  await createBrands(database.pool, systemClock).add(database.pool, demoBrand);
  await database.pool.query("UPDATE merchants SET zone = 'Asia/Nowhere' WHERE id = $1", [
    demoBrand.id,
  ]);
  let said = "";
  const server = await startServerProcess(
    { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "true" },
    {
      onLine: (line) => {
        said += line;
      },
      onSpawn: (spawned) => {
        child = spawned;
      },
    },
  );
  const status = (host: string) =>
    fetch(`${server.url.replace("127.0.0.1", host)}/api/v1/status`).then((reply) => reply.status);
  expect(await status("127.0.0.1")).toBe(200);
  // The demo brand answers for every host without another brand.
  expect(await status("localhost")).toBe(503);
  expect(said).toMatch(/Asia\/Nowhere.*a brand cannot be read, and is closed/);
  await server.stop();
}, 60_000);
