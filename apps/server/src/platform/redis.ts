import { type Command, Redis } from "iovalkey";

/** A connection that is known to answer or not, so that nobody waits to find out. */
export interface WatchedRedis {
  readonly connection: Redis;
  /** False from the first unanswered command until a probe is answered again. */
  answers(): boolean;
  /** A command failed: nobody should try until the next answered probe. */
  failed(error: unknown): void;
  close(): void;
}

/** The address of a Redis, which other sites may use too. */
export interface SiteRedis {
  readonly url: string;
  /** The site's name, with which all its keys and topics begin. */
  readonly site: string;
}

/** Longest wait for an answer; a Redis in the same house needs one. */
const ANSWER_MS = 100;
export const PROBE_EVERY_MS = 500;
/** After so many probes in a row without an answer, the line itself counts as dead. */
const SILENCE_MAX = 4;
const CONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;

export interface WatchOptions {
  /** Called once each time that it stops answering. */
  readonly onTrouble: (error: Error) => void;
  /**
   * Does what the connection is there for. A server that is full, that became a replica in a
   * failover, or whose user may do nothing else answers a ping too.
   */
  readonly probe: (connection: Redis) => Promise<unknown>;
  /** Called each time that it begins to answer. */
  readonly onAnswering?: () => void;
}

/** Rejects each command that is not answered in time, unless its answer has come by then. */
class TimedRedis extends Redis {
  override sendCommand(...given: Parameters<Redis["sendCommand"]>): unknown {
    const [command]: [Command, ...unknown[]] = given;
    const silent = () => command.reject(new Error("Command timed out"));
    // A process that hung finds its timer before the answer, which the same turn reads.
    const timer = setTimeout(() => setImmediate(silent), ANSWER_MS);
    const answered = () => clearTimeout(timer);
    command.promise.then(answered, answered);
    return super.sendCommand(...given);
  }
}

/**
 * Valkey or Redis that may be away, may hang, and may come later than this process: probes ask for
 * ever whether it answers, never a caller's own command.
 */
export function watchRedis(
  { url, site }: SiteRedis,
  { onTrouble, probe, onAnswering = () => undefined }: WatchOptions,
): WatchedRedis {
  const connection = new TimedRedis(url, {
    // The client puts it before keys, and not before topics.
    keyPrefix: `${site}:`,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: (times) => Math.min(times * 50, RECONNECT_MAX_MS),
    // The address may lead to its replacement.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  });
  let answering = false;
  let silent = 0;
  let told = false;
  let probing = false;

  const failed = (error: unknown) => {
    answering = false;
    if (told) return;
    told = true;
    onTrouble(error instanceof Error ? error : new Error(String(error)));
  };

  async function ask(): Promise<void> {
    // A connection in the making is neither away nor there yet; the reason for a failure is logged.
    if (probing || connection.status === "connecting") return;
    probing = true;
    try {
      await probe(connection);
      silent = 0;
      told = false;
      if (!answering) onAnswering();
      answering = true;
    } catch (error) {
      failed(error);
      // A host that vanished closes nothing; a new line finds out.
      if (connection.status === "ready" && ++silent % SILENCE_MAX === 0) {
        connection.disconnect(true);
      }
    } finally {
      probing = false;
    }
  }

  connection.on("error", failed);
  connection.on("close", () => {
    answering = false;
  });
  connection.on("ready", () => void ask());
  const timer = setInterval(() => void ask(), PROBE_EVERY_MS);
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
