import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "./embedded.ts";

export interface KeptPostgres {
  readonly url: string;
  /** Resolves after `stop`, and if the database does not come back. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Restarts in a row; a database that fails so often has a cause that a person must see. */
const RESTARTS_MAX = 5;
const PAUSE_MS = 250;
/** A database that ran for so long counts as well again. */
const WELL_AFTER_MS = 60_000;

/**
 * The embedded database, started again on its port whenever it ends by itself: a full disk or a
 * stray kill must not take the players' sockets with it. Recovery replays what was acknowledged.
 * The `stopping` of `options` ends only the first start; `stop` ends what follows.
 */
export async function keepEmbedded(options: EmbeddedOptions): Promise<KeptPostgres> {
  const first = await startEmbedded(options);
  const { url } = first;
  const stopping = new AbortController();
  // It may be waited for while the process ends: work under way still needs it.
  const again = { ...options, port: Number(new URL(url).port), stopping: stopping.signal };
  let server = first;

  async function watch(): Promise<void> {
    let restarts = 0;
    while (!stopping.signal.aborted) {
      if (await stoodLong(server)) restarts = 0;
      if (stopping.signal.aborted) return;
      const next = await restart(++restarts);
      if (next === null) return;
      server = next;
    }
    await server.stop();
  }

  async function restart(count: number): Promise<EmbeddedPostgres | null> {
    for (let tries = count; tries <= RESTARTS_MAX && !stopping.signal.aborted; tries++) {
      options.log.error({ tries }, "the embedded database ended by itself; starting it again");
      try {
        return await startEmbedded(again);
      } catch (error) {
        if (stopping.signal.aborted) return null;
        options.log.error({ err: error }, "the embedded database does not start");
        const { signal } = stopping;
        await sleep(PAUSE_MS * 2 ** tries, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  const ended = watch();
  return {
    url,
    ended,
    stop: async () => {
      stopping.abort();
      await server.stop();
      await ended;
    },
  };
}

/** Waits for its end; answers whether that came late. */
async function stoodLong({ ended }: EmbeddedPostgres): Promise<boolean> {
  let long = false;
  const timer = setTimeout(() => {
    long = true;
  }, WELL_AFTER_MS).unref();
  await ended;
  clearTimeout(timer);
  return long;
}
