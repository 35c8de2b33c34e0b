import dns from "node:dns";

type Lookup = typeof dns.lookup;
/** An error, or the addresses in the requested form. */
type Answered = (...answer: unknown[]) => void;

/**
 * Limits a name to one look-up at a time: callers that request the same meanwhile share its answer,
 * and callers that request another kind of address ask after it. Node has two threads for the
 * look-ups of a whole process, and a silent name server occupies a thread for many seconds, though
 * its caller has long given up: the tries of one neighbour would take both, and the database's name
 * would not be found.
 */
export function joinedLookups(ask: Lookup): Lookup {
  const underWay = new Map<unknown, { readonly kind: string; readonly waiting: Answered[] }>();

  function lookup(...given: unknown[]): void {
    const [name, ...kinds] = given.slice(0, -1);
    // Node's contract: the last argument takes the answer, in a later turn.
    const answered = given.at(-1) as Answered;
    const kind = JSON.stringify(kinds);
    const other = underWay.get(name);
    if (other !== undefined) {
      other.waiting.push(other.kind === kind ? answered : () => lookup(...given));
      return;
    }
    const waiting = [answered];
    const onAnswer = (...answer: unknown[]) => {
      underWay.delete(name);
      for (const one of waiting) one(...answer);
    };
    Reflect.apply(ask, dns, [name, ...kinds, onAnswer]);
    underWay.set(name, { kind, waiting });
  }

  // The properties that `promisify` reads of a look-up are copied, and with them the whole type.
  return Object.defineProperties(lookup, Object.getOwnPropertyDescriptors(ask)) as Lookup;
}

/**
 * For all of this process: neither Node's `fetch` nor the Redis client takes a look-up of ours, but
 * every socket without one of its own uses Node's.
 */
export function joinLookups(): void {
  dns.lookup = joinedLookups(dns.lookup);
}
