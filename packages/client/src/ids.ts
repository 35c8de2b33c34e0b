import { type Id, type IdKind, mintId } from "@perya/kernel/ids";

/** A fresh id; the command that carries it may be sent twice and is done once. */
export function freshId<K extends IdKind>(kind: K): Id<K> {
  return mintId(kind, Date.now(), crypto.getRandomValues(new Uint8Array(16)));
}
