import { Redis } from "iovalkey";

/** A connection that is known to answer or not, so that nobody waits to find out. */
export interface WatchedRedis {
  readonly connection: Redis;
  /** False from the first command that was not answered until a ping is again. */
  answers(): boolean;
  /** A command failed: until the next ping that is answered, nobody should try. */
  failed(error: unknown): void;
  close(): void;
}

/** Longest wait for an answer; a Redis in the same house needs one. */
const ANSWER_MS = 100;
const PING_EVERY_MS = 500;
/** Pings in a row without an answer, after which the line itself is taken for dead. */
const SILENCE_MAX = 4;
const CONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;

/**
 * Valkey or Redis that may be away, may hang, and may come later than this process: it is asked
 * for ever whether it answers, by pings and never by a caller's own command.
 * @param onTrouble told once each time that it stops answering
 * @param onAnswering called each time that it begins to answer, for what a new line must be told
 */
export function watchRedis(
  url: string,
  onTrouble: (error: Error) => void,
  onAnswering: (connection: Redis) => void = () => undefined,
): WatchedRedis {
  const connection = new Redis(url, {
    commandTimeout: ANSWER_MS,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: (times) => Math.min(times * 50, RECONNECT_MAX_MS),
  });
  let answering = false;
  let silent = 0;
  let told = false;
  let pinging = false;

  const failed = (error: unknown) => {
    answering = false;
    if (told) return;
    told = true;
    onTrouble(error instanceof Error ? error : new Error(String(error)));
  };

  async function ping(): Promise<void> {
    if (pinging) return;
    pinging = true;
    try {
      await connection.ping();
      silent = 0;
      told = false;
      if (!answering) onAnswering(connection);
      answering = true;
    } catch (error) {
      failed(error);
      // A host that vanished closes nothing; a new line finds out.
      if (connection.status === "ready" && ++silent % SILENCE_MAX === 0) {
        connection.disconnect(true);
      }
    } finally {
      pinging = false;
    }
  }

  connection.on("error", failed);
  connection.on("close", () => {
    answering = false;
  });
  connection.on("ready", () => void ping());
  const timer = setInterval(() => void ping(), PING_EVERY_MS);
  timer.unref();
  return {
    connection,
    answers: () => answering,
    failed,
    close: () => {
      clearInterval(timer);
      connection.disconnect();
    },
  };
}
