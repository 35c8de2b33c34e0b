import { ok, type Result, refuse } from "@perya/kernel/result";
import { describe, expect, it } from "vitest";
import { createLogger } from "../log.ts";
import type { Mail } from "./mail.ts";
import { createMailQueue } from "./mail-queue.ts";

const MAIL: Mail = { to: "maria@example.com", subject: "Hello", text: "Hello", html: "<p>Hello" };

describe("the mail queue", () => {
  it("tries three times for a server that puts us off, with growing waits", async () => {
    const { queue, tries, pauses } = makeQueue([
      refuse("unavailable"),
      refuse("unavailable"),
      ok(undefined),
    ]);
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toHaveLength(3);
    expect(pauses).toEqual([2_000, 15_000]);
  });

  it("gives up after three, says so without the address, and goes on with the next", async () => {
    const never = refuse("unavailable" as const);
    const { queue, tries, logged } = makeQueue([never, never, never, ok(undefined)]);
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toHaveLength(3);
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toHaveLength(4);
    expect(logged.join("")).toContain("given up");
    expect(logged.join("")).not.toContain("maria");
  });

  it("does not try again for an address that is refused", async () => {
    const { queue, tries } = makeQueue([refuse("refused")]);
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toHaveLength(1);
  });

  it("sends nothing for a null, and outlives a mail that cannot be made", async () => {
    const { queue, tries, logged } = makeQueue([ok(undefined)]);
    queue.post(async () => null);
    queue.post(() => Promise.reject(new Error("no database")));
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toEqual([MAIL]);
    expect(logged.join("")).toContain("could not be made");
  });

  it("makes a mail again where that failed, as while the database is away", async () => {
    const { queue, tries, pauses } = makeQueue([ok(undefined)]);
    let made = 0;
    queue.post(async () => {
      made += 1;
      if (made === 1) throw new Error("no database");
      return MAIL;
    });
    await queue.idle();
    expect([tries, pauses]).toEqual([[MAIL], [2_000]]);
  });

  it("lets its caller go on before anything is looked up", async () => {
    const { queue } = makeQueue([]);
    let begun = false;
    let goOn: () => void = () => undefined;
    queue.post(async () => {
      await new Promise<void>((done) => {
        goOn = done;
      });
      begun = true;
      return null;
    });
    expect(begun).toBe(false);
    goOn();
    await queue.idle();
    expect(begun).toBe(true);
  });

  it("holds a thousand; more are dropped, loudly", async () => {
    const { queue, logged } = makeQueue([]);
    let made = 0;
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((done) => {
      goOn = done;
    });
    for (let i = 0; i < 1_100; i++) {
      queue.post(async () => {
        await gate;
        made += 1;
        return null;
      });
    }
    goOn();
    await queue.idle();
    // Four were under way, so they did not wait.
    expect(made).toBe(1_004);
    expect(logged).toHaveLength(96);
  });

  it("waits no longer once it is closed, and still makes the last tries", async () => {
    const tries: Mail[] = [];
    const queue = createMailQueue({
      mailer: {
        send: async (mail) => {
          tries.push(mail);
          return refuse("unavailable");
        },
      },
      log: createLogger({ level: "silent" }),
    });
    queue.post(async () => MAIL);
    await queue.close();
    expect(tries).toHaveLength(3);
  });

  it("lets go of a server that hangs, says how many it did not send, and begins no more", async () => {
    const tries: Mail[] = [];
    const logged: string[] = [];
    const hanging: (() => void)[] = [];
    const queue = createMailQueue({
      mailer: {
        send: (mail) => {
          tries.push(mail);
          return new Promise((done) => hanging.push(() => done(refuse("unavailable"))));
        },
      },
      log: createLogger({
        level: "error",
        destination: { write: (line) => void logged.push(line) },
      }),
      farewellMs: 50,
    });
    for (let i = 0; i < 12; i++) queue.post(async () => MAIL);
    await queue.close();
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ unsent: 12 }]);
    for (const answer of hanging) answer();
    queue.post(async () => MAIL);
    await queue.idle();
    expect(tries).toHaveLength(4);
    expect(logged).toHaveLength(2);
  });
});

function makeQueue(answers: Result<void, "unavailable" | "refused">[]) {
  const tries: Mail[] = [];
  const pauses: number[] = [];
  const logged: string[] = [];
  const queue = createMailQueue({
    mailer: {
      send: async (mail) => {
        tries.push(mail);
        return answers.shift() ?? ok(undefined);
      },
    },
    log: createLogger({
      level: "error",
      destination: { write: (line) => void logged.push(line) },
    }),
    pause: async (ms) => void pauses.push(ms),
  });
  return { queue, tries, pauses, logged };
}
