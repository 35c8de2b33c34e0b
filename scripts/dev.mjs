import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { bin, ROOT, requireNode } from "./project.mjs";
import { inTurn } from "./turn.mjs";

/** The paths that the server answers; the web application answers all others. */
const SERVED = [
  "/api",
  "/auth",
  "/ws",
  "/art",
  "/pay",
  "/docs",
  "/outbox",
  "/common",
  "/livez",
  "/readyz",
  "/version",
];
const WEB_PORT = Number(process.env.WEB_PORT ?? 5173);

requireNode();
await inTurn(ensureInstalled);

const port = process.env.PORT ?? "3000";
const server = spawn(bin("tsx"), ["watch", "--clear-screen=false", "apps/server/src/main.ts"], {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, PORT: port },
});

const folder = join(ROOT, "apps/play");
const web = existsSync(join(folder, "vite.config.ts")) ? await startWeb() : null;

async function startWeb() {
  const { createServer } = await import("vite");
  const target = `http://localhost:${port}`;
  const vite = await createServer({
    root: folder,
    configFile: join(folder, "vite.config.ts"),
    server: {
      port: WEB_PORT,
      proxy: Object.fromEntries(
        SERVED.map((path) => [path, { target, ws: path === "/ws", changeOrigin: false }]),
      ),
    },
  });
  await vite.listen();
  process.stdout.write(`The web application reloads at http://localhost:${WEB_PORT}/m/home\n`);
  return vite;
}

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    // Ctrl-C also reaches the server's process; it must not be told twice.
    if (signal === "SIGTERM") server.kill("SIGTERM");
    stopping = true;
  });
}
server.on("exit", async (code) => {
  await web?.close();
  process.exit(stopping ? 0 : (code ?? 1));
});
