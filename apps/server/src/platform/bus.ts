import { EventEmitter } from "node:events";
import { Redis } from "iovalkey";

/**
 * Carries events between the processes of one installation: through Valkey or Redis where a
 * URL is given, else within this process. Delivery is at most once; what must not be lost
 * stands in the database and is read again after a gap.
 */
export interface Bus {
  publish(topic: string, message: string): void;
  subscribe(topic: string, listener: (message: string) => void): void;
  close(): Promise<void>;
}

export function localBus(): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic, message) => void emitter.emit(topic, message),
    subscribe: (topic, listener) => void emitter.on(topic, listener),
    close: async () => void emitter.removeAllListeners(),
  };
}

/** @param onTrouble told when the connection fails; it reconnects by itself. */
export function redisBus(url: string, onTrouble: (error: Error) => void): Bus {
  const sender = new Redis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: true });
  const receiver = new Redis(url);
  const emitter = new EventEmitter().setMaxListeners(0);
  for (const connection of [sender, receiver]) connection.on("error", onTrouble);
  receiver.on("message", (topic: string, message: string) => void emitter.emit(topic, message));
  return {
    publish: (topic, message) => void sender.publish(topic, message).catch(onTrouble),
    subscribe: (topic, listener) => {
      if (emitter.listenerCount(topic) === 0) receiver.subscribe(topic).catch(onTrouble);
      emitter.on(topic, listener);
    },
    close: async () => {
      sender.disconnect();
      receiver.disconnect();
    },
  };
}
