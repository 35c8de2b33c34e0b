import dns from "node:dns";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { redisBus } from "./bus.ts";
import { redisRateLimiter } from "./http/rate-limit.ts";
import { joinedLookups } from "./name-lookups.ts";

/** As many as libuv gives to look-ups. */
const THREADS = 2;
type Answer = (error: null, address: string, family: number) => void;

describe("name look-ups", () => {
  it("of one name are one, however often it is requested, and everybody gets the answer", async () => {
    const resolver = twoThreads();
    const lookup = joinedLookups(resolver.lookup);
    const heard = [1, 2, 3].map(() => asked(lookup, "db.internal"));
    expect(resolver.asked).toEqual(["db.internal"]);
    expect(await Promise.all(heard)).toEqual(Array(3).fill("10.0.0.1"));
    // An answer is not cached: a name may lead elsewhere in a moment.
    expect(await asked(lookup, "db.internal")).toBe("10.0.0.1");
    expect(resolver.asked).toEqual(["db.internal", "db.internal"]);
  });

  it("of one name in another kind come after it, and other names wait for neither", async () => {
    const resolver = twoThreads();
    const lookup = joinedLookups(resolver.lookup);
    const plain = asked(lookup, "db.internal");
    const kind = new Promise((done) => lookup("db.internal", { family: 6 }, done));
    const other = asked(lookup, "mail.internal");
    expect(resolver.asked).toEqual(["db.internal", "mail.internal"]);
    await Promise.all([plain, kind, other]);
    expect(resolver.asked).toEqual(["db.internal", "mail.internal", "db.internal"]);
  });

  it("answer a promise in the same form as Node's own", async () => {
    const { address, family } = await promisify(joinedLookups(dns.lookup))("127.0.0.1");
    expect([address, family]).toEqual(["127.0.0.1", 4]);
  });

  it("of a neighbour whose name hangs are one at most, and the database's name is found", async () => {
    const resolver = twoThreads("neighbour.hanging");
    const real = dns.lookup;
    dns.lookup = joinedLookups(resolver.lookup);
    const nothing = () => undefined;
    const redis = { url: "redis://neighbour.hanging", site: "perya" };
    const bus = redisBus(redis, "one", { onTrouble: nothing, onMisheard: nothing });
    const rates = redisRateLimiter(redis, { now: () => 1 }, nothing);
    try {
      // As a gateway is called.
      const signal = AbortSignal.timeout(200);
      const asks = [1, 2, 3].map(() => fetch("http://neighbour.hanging", { signal }));
      await Promise.allSettled(asks);
      // Each of the three clients gives up after a second, and tries again, alternately in IPv6.
      await new Promise((turn) => setTimeout(turn, 3_500));
      expect(resolver.asked).toEqual(["neighbour.hanging"]);
      expect(await asked(dns.lookup, "db.internal")).toBe("10.0.0.1");
    } finally {
      dns.lookup = real;
      await bus.close();
      rates.close();
    }
  });
});

/** Has as many look-ups under way as Node; one of the hanging name never ends. */
function twoThreads(hanging?: string) {
  const names: string[] = [];
  const queue: (() => void)[] = [];
  let free = THREADS;
  const next = () => {
    if (free > 0) queue.shift()?.();
  };
  function lookup(name: string, ...rest: unknown[]): void {
    names.push(name);
    queue.push(() => {
      free--;
      if (name === hanging) return;
      setTimeout(() => {
        free++;
        (rest.at(-1) as Answer)(null, "10.0.0.1", 4);
        next();
      }, 5);
    });
    next();
  }
  // Only the form that this test requests: one address.
  return { asked: names, lookup: lookup as typeof dns.lookup };
}

function asked(lookup: typeof dns.lookup, name: string): Promise<string> {
  return new Promise((done) => lookup(name, (_, address) => done(address)));
}
