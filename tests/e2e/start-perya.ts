import type { FullConfig } from "@playwright/test";
import { startRedis } from "../server/redis-server.ts";
import { makeTemplate, startPerya } from "./perya.ts";

/** A server per worker; journeys that kill their server start another. */
export default async function globalSetup({ workers }: FullConfig): Promise<() => Promise<void>> {
  // A database that is named has its demo already, or loads it.
  const template = process.env.DATABASE_URL === undefined ? await makeTemplate() : null;
  if (template !== null) process.env.PERYA_TEMPLATE = template.folder;
  // All servers share a database that is named, and hear each other through Redis.
  const redis = template === null ? await startRedis() : null;
  if (redis !== null) process.env.REDIS_URL = redis.url;
  const servers = await Promise.all(Array.from({ length: workers }, () => startPerya()));
  process.env.PERYA_SERVERS = JSON.stringify(servers.map(({ url, folder }) => ({ url, folder })));
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
    redis?.stop();
    template?.remove();
  };
}

/** The address and data folder of this worker's server; both are empty before the setup. */
export function serverOfWorker(): { readonly url: string; readonly folder: string } {
  const servers = JSON.parse(process.env.PERYA_SERVERS ?? "[]");
  return servers[Number(process.env.TEST_PARALLEL_INDEX ?? 0)] ?? { url: "", folder: "" };
}
