import { type Id, type IdKind, mintId } from "@perya/kernel/ids";

/**
 * A fresh id; the command that carries it may be sent twice and is executed once.
 * @param nowMs the server's time where it is known, because lists are sorted by ids
 */
export function freshId<K extends IdKind>(kind: K, nowMs = Date.now()): Id<K> {
  return mintId(kind, nowMs, crypto.getRandomValues(new Uint8Array(16)));
}
