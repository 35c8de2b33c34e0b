import { EventEmitter } from "node:events";
import type { Redis } from "iovalkey";
import { takesWrites, watchRedis } from "./redis.ts";

/**
 * Carries events between the processes of one installation: through Valkey or Redis where a
 * URL is given, else within this process. Delivery is at most once; what must not be lost
 * stands in the database and is read again after a gap.
 */
export interface Bus {
  publish(topic: string, message: string): void;
  subscribe(topic: string, listener: (message: string) => void): void;
  /** Whether other processes are reached; null where there is none to reach. */
  answers(): boolean | null;
  /** Calls each time that others may be heard again, after what they said was perhaps lost. */
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
 * Tells at each look whether words of others may have been lost since the one before: the bus was
 * cut or came back, or it is cut and what they speak of is not as it was then.
 */
export function lossesOf(bus: Bus): (standing: string) => boolean {
  let cut = false;
  let seen = "";
  return (standing) => {
    const before = { cut, seen };
    cut = bus.answers() === false;
    seen = standing;
    return cut !== before.cut || (cut && seen !== before.seen);
  };
}

/**
 * This process hears itself without a detour, so while Redis is away or hangs it is only the
 * others who hear nothing; they are heard again as soon as it answers, whoever was there first.
 * @param name this process among those on the bus
 * @param onTrouble told when the connection stops answering; it comes back by itself
 */
export function redisBus(url: string, name: string, onTrouble: (error: Error) => void): Bus {
  const own = localBus();
  const topics = new Set<string>();
  const returned = new EventEmitter();
  const sender = watchRedis(url, { onTrouble, probe: passesWordsOn });
  const receiver = watchRedis(url, {
    onTrouble,
    onAnswering: () => {
      listen([...topics]);
      returned.emit("return");
    },
  });
  receiver.connection.on("message", (topic: string, message: string) => {
    const split = message.indexOf("\n");
    if (message.slice(0, split) !== name) own.publish(topic, message.slice(split + 1));
  });

  function listen(wanted: readonly string[]): void {
    if (wanted.length > 0) receiver.connection.subscribe(...wanted).catch(receiver.failed);
  }

  return {
    publish(topic, message) {
      own.publish(topic, message);
      if (!sender.answers()) return;
      sender.connection.publish(topic, `${name}\n${message}`).catch(sender.failed);
    },
    subscribe(topic, listener) {
      own.subscribe(topic, listener);
      if (!topics.has(topic) && receiver.answers()) listen([topic]);
      topics.add(topic);
    },
    answers: () => sender.answers() && receiver.answers(),
    onReturn: (listener) => void returned.on("return", listener),
    close: async () => {
      sender.close();
      receiver.close();
      await own.close();
    },
  };
}

/** A copy of another's passes words on to its own listeners alone; one that is full, to all. */
async function passesWordsOn(connection: Redis): Promise<void> {
  await takesWrites(connection).catch((error: Error) => {
    if (!error.message.startsWith("OOM")) throw error;
  });
}
