import { EventEmitter } from "node:events";
import { MINUTE_MS } from "@perya/kernel/instant";
import type { Redis } from "iovalkey";
import { systemElapsed } from "./clock.ts";
import { PROBE_EVERY_MS, type SiteRedis, watchRedis } from "./redis.ts";

/**
 * Carries events between the processes of one installation: through Valkey or Redis if a URL is
 * given, else within this process. Delivery is at most once; what must not be lost is in the
 * database and is read again after a gap.
 */
export interface Bus {
  publish(topic: string, message: string): void;
  subscribe(topic: string, listener: (message: string) => void): void;
  /** Whether other processes are reached; null if there are none. */
  answers(): boolean | null;
  /**
   * Called each time that messages of others may have been lost and can be heard again, whether
   * this process did not hear or understand them or one of the others was not heard.
   */
  onReturn(listener: () => void): void;
  close(): Promise<void>;
}

export function localBus(): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic, message) => void emitter.emit(topic, message),
    subscribe: (topic, listener) => void emitter.on(topic, listener),
    answers: () => null,
    onReturn: () => undefined,
    close: async () => void emitter.removeAllListeners(),
  };
}

/**
 * Tells at each look whether messages of others may have been lost since the one before: the bus
 * was cut or came back, for this process or for another, or it is cut and their subject has changed
 * since.
 */
export function lossesOf(bus: Bus): (known: string) => boolean {
  let cut = false;
  let seen = "";
  let returned = false;
  bus.onReturn(() => {
    returned = true;
  });
  return (known) => {
    const before = { cut, seen, returned };
    cut = bus.answers() === false;
    seen = known;
    returned = false;
    return before.returned || cut !== before.cut || (cut && seen !== before.seen);
  };
}

/** What an operator of the site should know of its bus. */
export interface BusTroubles {
  /** The connection stopped answering; it comes back by itself. */
  readonly onTrouble: (error: Error) => void;
  /** A message of another process could not be read; reported at most once a minute. */
  readonly onMisheard: (error: unknown) => void;
}

/** If one message cannot be read, such as another version's during a deploy, many cannot. */
const MISHEARD_EVERY_MS = MINUTE_MS;
/** Tells the others that they may have missed messages of this process. */
const UNHEARD = "unheard";

/**
 * This process hears itself directly, so while Redis is away or hangs only the others hear nothing;
 * they are heard again as soon as it answers. A message of theirs that a
 * listener cannot read counts as a lost one.
 * @param name this process among those on the bus
 */
export function redisBus(
  shared: SiteRedis,
  name: string,
  { onTrouble, onMisheard }: BusTroubles,
): Bus {
  const own = localBus();
  const others = localBus();
  // Redis separates keys by the number of a database, and does not separate topics.
  const channelOf = (topic: string) => `${shared.site}:${topic}`;
  const unheard = channelOf(UNHEARD);
  const channels = new Set<string>([unheard]);
  const returned = new EventEmitter();
  let isUnheard = false;
  let toldUntil = Number.NEGATIVE_INFINITY;
  const sender = watchRedis(shared, {
    onTrouble,
    probe: async (connection) => {
      await passesWordsOn(connection);
      if (!isUnheard) return;
      // Messages sent meanwhile are unheard too.
      isUnheard = false;
      await connection.publish(unheard, `${name}\n`).catch((error: Error) => {
        isUnheard = true;
        throw error;
      });
    },
  });
  const receiver = watchRedis(shared, {
    onTrouble,
    // A connection that may not listen hears nothing, though a ping is answered.
    probe: (connection) => connection.subscribe(...channels),
    onAnswering: () => void returned.emit("return"),
  });
  receiver.connection.on("message", (channel: string, message: string) => {
    const split = message.indexOf("\n");
    if (message.slice(0, split) === name) return;
    if (channel === unheard) returned.emit("return");
    else others.publish(channel.slice(channelOf("").length), message.slice(split + 1));
  });

  /** Messages that were on their way may not have been heard. */
  function lose(error: Error): void {
    isUnheard = true;
    sender.failed(error);
  }

  /** A bad message of another process ends nobody here. */
  function guarded(listener: (message: string) => void): (message: string) => void {
    return (message) => {
      try {
        listener(message);
      } catch (error) {
        returned.emit("return");
        if (systemElapsed() < toldUntil) return;
        toldUntil = systemElapsed() + MISHEARD_EVERY_MS;
        onMisheard(error);
      }
    };
  }

  return {
    publish(topic, message) {
      own.publish(topic, message);
      if (!sender.answers()) {
        isUnheard = true;
        return;
      }
      sender.connection.publish(channelOf(topic), `${name}\n${message}`).catch(lose);
    },
    subscribe(topic, listener) {
      own.subscribe(topic, listener);
      others.subscribe(topic, guarded(listener));
      const channel = channelOf(topic);
      if (channels.has(channel)) return;
      channels.add(channel);
      // A probe that is under way does not request it.
      const { connection, failed } = receiver;
      if (connection.status === "ready") connection.subscribe(channel).catch(failed);
    },
    answers: () => sender.answers() && receiver.answers(),
    onReturn: (listener) => void returned.on("return", listener),
    close: async () => {
      sender.close();
      receiver.close();
      await Promise.all([own.close(), others.close()]);
    },
  };
}

/** A replica passes messages only to its own listeners; one that is full, to all. */
async function passesWordsOn(connection: Redis): Promise<void> {
  await connection.set("probe", "1", "PX", PROBE_EVERY_MS).catch((error: Error) => {
    if (!error.message.startsWith("OOM")) throw error;
  });
}
