import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const hangUps = new WeakMap<Socket, AbortSignal>();

/**
 * Aborted when the caller's connection closes. Node signals no end of an answer that waits behind
 * another on its connection, and the end of a request as soon as its body is read; so this listens
 * to the connection, once for all its requests.
 */
export function hangUpOf({ socket }: IncomingMessage): AbortSignal {
  const known = hangUps.get(socket);
  if (known !== undefined) return known;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  hangUps.set(socket, closing.signal);
  if (socket.closed) closing.abort();
  else socket.once("close", () => closing.abort());
  return closing.signal;
}
