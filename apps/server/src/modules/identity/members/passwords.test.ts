import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seededEntropy } from "../../../../../../tests/server/fixtures.ts";
import { quickArgon2 } from "../../../../../../tests/setup/quick-argon2.ts";
import { NoTurn } from "../../../platform/turns.ts";
import { type Argon2, Passwords } from "./passwords.ts";

/** Work that each test releases, one after another. */
function heldWork() {
  const held: (() => void)[] = [];
  const count = { now: 0, most: 0, done: 0 };
  const work = async <T>(value: T): Promise<T> => {
    count.most = Math.max(count.most, ++count.now);
    await new Promise<void>((go) => held.push(go));
    count.now--;
    count.done++;
    return value;
  };
  const argon2: Argon2 = {
    hash: (password) => work(`hash of ${password}`),
    verify: (stored, password) => work(stored === `hash of ${password}`),
    begins: "hash of ",
  };
  /** Releases all work that is running or queued. */
  const release = async () => {
    for (let idle = 0; idle < 5; ) {
      const go = held.shift();
      go?.();
      idle = go === undefined ? idle + 1 : 0;
      await turn();
    }
  };
  return { argon2, count, release };
}

describe("a password", () => {
  it("is hashed by argon2id with OWASP's figures, and a hash of smaller ones is dated", async () => {
    const passwords = new Passwords(seededEntropy("figures"));
    const kept = await passwords.hash("Parol2026x");
    expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(passwords.isDated(kept)).toBe(false);
    const small = await quickArgon2.hash("Parol2026x");
    expect(passwords.isDated(small)).toBe(true);
    for (const hash of [kept, small])
      expect(await passwords.matches(hash, "Parol2026x")).toBe(true);
    expect(await passwords.matches(kept, "Parol2026y")).toBe(false);
  });
});

describe("the work on passwords", () => {
  it("runs two at once, hashes and comparisons together, with a short queue, and refuses the rest at once", async () => {
    const { argon2, count, release } = heldWork();
    const passwords = new Passwords(seededEntropy("line"), argon2);
    const first = passwords.matches("hash of a", "a");
    await release();
    expect(await first).toBe(true);
    count.done = 0;
    const asked = Array.from({ length: 1_000 }, (_, i) =>
      i % 33 === 0 ? passwords.hash("a") : passwords.matches("hash of a", "a"),
    );
    const settled = Promise.allSettled(asked);
    await release();
    const answers = await settled;
    const refused = answers.filter((one) => one.status === "rejected");
    expect(refused.every(({ reason }) => reason instanceof NoTurn)).toBe(true);
    expect([count.most, count.done, refused.length]).toEqual([2, 66, 934]);
    const after = passwords.hash("b");
    await release();
    expect(await after).toBe("hash of b");
  });

  it("is skipped for a caller who hung up in the queue", async () => {
    const { argon2, count, release } = heldWork();
    const passwords = new Passwords(seededEntropy("gone"), argon2);
    const staying = [passwords.hash("a"), passwords.hash("b")];
    let hasHungUp = false;
    const leaving = passwords.hash("c", () => hasHungUp).catch((error: unknown) => error);
    hasHungUp = true;
    await release();
    expect(await leaving).toBeInstanceOf(NoTurn);
    expect(await Promise.all(staying)).toEqual(["hash of a", "hash of b"]);
    expect(count.done).toBe(2);
  });

  it("goes on for unknown names after it failed once", async () => {
    let fails = true;
    const passwords = new Passwords(seededEntropy("once"), {
      hash: async () => {
        if (fails) throw new Error("no memory");
        return "hash of nobody's";
      },
      verify: async () => false,
      begins: "hash of ",
    });
    await expect(passwords.matches(null, "a")).rejects.toThrow("no memory");
    fails = false;
    expect(await passwords.matches(null, "a")).toBe(false);
  });
});
