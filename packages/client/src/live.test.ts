import type { ClientMessage, ServerMessage } from "@perya/contract/socket";
import { moneyReplacer } from "@perya/kernel/money";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLive, type Live, type Socket } from "./live.ts";
import type { ChannelState } from "./live-channel.ts";

/** A wallet whose balance is its version: a phone that shows another number has missed one. */
function createWorld() {
  let timeMs = 0;
  let timers: { at: number; run: () => void }[] = [];
  let version = 0;
  let line: { socket: Socket; open: boolean; joined: boolean; inbox: string[] } | null = null;
  const heard: ClientMessage[] = [];
  const states: ChannelState[] = [];
  let shown: number | null = null;
  let ended = 0;
  const times: number[] = [];
  let opened = 0;
  let reachable = true;
  let answering = true;

  const state = (minor: number) => ({
    available: { minor: BigInt(minor), currency: "PHP" as const },
    held: { minor: 0n, currency: "PHP" as const },
  });

  function open(): Socket {
    opened++;
    const socket: Socket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      send(text) {
        if (line?.socket !== socket) return;
        const message: ClientMessage = JSON.parse(text);
        heard.push(message);
        if (message.type === "hello") answer({ type: "welcome", loggedIn: true });
        if (message.type === "ping") answer({ type: "pong", now: timeMs + 5_000 });
        if (message.type === "subscribe" && message.channel === "wallet") {
          line.joined = true;
          if (!answering) return;
          answer({ type: "snapshot", channel: "wallet", version, data: state(version) });
        }
      },
      close() {
        if (line?.socket === socket) line = null;
      },
    };
    line = reachable ? { socket, open: false, joined: false, inbox: [] } : null;
    return socket;
  }

  function answer(message: ServerMessage): void {
    line?.inbox.push(JSON.stringify(message, moneyReplacer));
  }

  const world = {
    heard,
    states,
    times,
    get shown() {
      return shown;
    },
    get version() {
      return version;
    },
    get ended() {
      return ended;
    },
    get opened() {
      return opened;
    },
    live: createLive({
      open,
      getSessionToken: () => "token",
      onSessionEnded: () => {
        ended++;
      },
      onServerTime: (at) => times.push(at),
      now: () => timeMs,
      random: () => 0.5,
      setTimer: (run, ms) => {
        const timer = { at: timeMs + ms, run };
        timers.push(timer);
        return timer;
      },
      clearTimer: (timer) => {
        timers = timers.filter((one) => one !== timer);
      },
    }) as Live,
    watch() {
      return world.live.subscribe("wallet", {
        onSnapshot: ({ available }) => {
          shown = Number(available.minor);
        },
        onEvent: (event) => {
          if (shown === null) throw new Error("an event came before its snapshot");
          shown += Number(event.state.available.minor) - shown;
        },
        onState: (now) => states.push(now),
      });
    },
    /** One movement; its event is sent unless the connection loses it. */
    move(lost = false) {
      version++;
      const event = { type: "moved" as const, state: state(version) };
      const message: ServerMessage = {
        type: "event",
        channel: "wallet",
        version,
        after: version - 1,
        event,
      };
      if (line?.joined && !lost) line.inbox.push(JSON.stringify(message, moneyReplacer));
    },
    /** The server's present state. */
    snapshot(): ServerMessage {
      return { type: "snapshot", channel: "wallet", version, data: state(version) };
    },
    say(message: ServerMessage) {
      answer(message);
    },
    /** Messages sent meanwhile are delivered after it. */
    holdBack(run: () => void) {
      const { deliver } = world;
      world.deliver = () => undefined;
      run();
      world.deliver = deliver;
      world.deliver();
    },
    openLine() {
      if (line === null || line.open) return;
      line.open = true;
      line.socket.onopen?.();
    },
    /** Delivers waiting messages, oldest first; no test has more than a thousand of them. */
    deliver(count = 1_000) {
      for (let n = 0; n < count && line !== null && line.inbox.length > 0; n++) {
        const { socket, inbox } = line;
        socket.onmessage?.({ data: inbox.shift() });
      }
    },
    cut(code = 1006) {
      const { socket } = line ?? {};
      line = null;
      socket?.onclose?.({ code });
    },
    setReachable(yes: boolean) {
      reachable = yes;
    },
    /** Whether a subscription gets a snapshot automatically. */
    setAnswering(yes: boolean) {
      answering = yes;
    },
    /** After the database was restored to an earlier state. */
    setVersion(to: number) {
      version = to;
    },
    /** The current connection; its later messages may come too late. */
    get line() {
      return line;
    },
    timesHeard(type: ClientMessage["type"]) {
      return heard.filter((message) => message.type === type).length;
    },
    pass(ms: number) {
      const until = timeMs + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timeMs = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.run();
        world.openLine();
        world.deliver();
      }
      timeMs = until;
    },
    settle() {
      world.openLine();
      world.deliver();
    },
  };
  return world;
}

describe("live channels", () => {
  it("shows the snapshot, then every event in order", () => {
    const world = createWorld();
    world.move();
    world.watch();
    world.settle();
    expect(world.shown).toBe(1);
    world.move();
    world.move();
    world.deliver();
    expect(world.shown).toBe(3);
    expect(world.states).toEqual(["waiting", "connecting", "live"]);
  });

  it("asks for a new snapshot when an event is missing", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.move(true);
    world.move();
    world.settle();
    expect(world.shown).toBe(2);
    expect(world.heard.filter(({ type }) => type === "subscribe")).toHaveLength(2);
  });

  it("takes an unrequested snapshot, unless events have overtaken it", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.move(true);
    const fresh = world.snapshot();
    world.say(fresh);
    world.deliver();
    expect(world.shown).toBe(1);
    world.move();
    world.say(fresh);
    world.deliver();
    expect(world.shown).toBe(2);
    // Events missed after it are asked for as usual, and nothing is shown before the answer.
    world.move(true);
    world.move();
    world.deliver(1);
    world.move();
    world.settle();
    expect(world.shown).toBe(5);
    expect(world.heard.filter(({ type }) => type === "subscribe")).toHaveLength(2);
  });

  it("takes messages of a channel with instants as versions even after the clock was set back", () => {
    const world = createWorld();
    const heard: boolean[] = [];
    world.live.subscribe("site", {
      onSnapshot: ({ maintenance }) => heard.push(maintenance),
      onEvent: ({ state }) => heard.push(state.maintenance),
      onState: () => undefined,
    });
    world.settle();
    const site = (maintenance: boolean) => ({ maintenance });
    world.say({ type: "snapshot", channel: "site", version: 3_600_000, data: site(false) });
    const event = { type: "site" as const, state: site(true) };
    world.say({ type: "event", channel: "site", version: 5, after: 0, event });
    world.say({ type: "snapshot", channel: "site", version: 6, data: site(false) });
    world.deliver();
    expect(heard).toEqual([false, true, false]);
  });

  it("drops an event that is not newer than the present state", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.move();
    world.deliver();
    const stale = {
      available: { minor: 0n, currency: "PHP" },
      held: { minor: 0n, currency: "PHP" },
    };
    world.say({
      type: "event",
      channel: "wallet",
      version: 1,
      after: 0,
      event: { type: "moved", state: stale as never },
    });
    world.deliver();
    expect(world.shown).toBe(1);
  });

  it("ends at the server's state, even if messages are lost, delayed or cut", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("move" as const), lost: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("deliver" as const), n: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(30_000) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const world = createWorld();
        world.watch();
        for (const one of steps) {
          if (one.do === "move") world.move(one.lost);
          else if (one.do === "deliver") world.deliver(one.n);
          else if (one.do === "cut") world.cut();
          else if (one.do === "restart") world.live.restart();
          else world.pass(one.ms);
          world.openLine();
        }
        // The next event reveals the last loss, and a new connection does so at the latest.
        world.pass(60_000);
        world.move();
        world.pass(60_000);
        world.settle();
        expect(world.shown).toBe(world.version);
      }),
      { numRuns: 300 },
    );
  });

  it("tries again with growing waits while the server cannot be reached", () => {
    const world = createWorld();
    world.setReachable(false);
    world.watch();
    world.pass(60_000);
    const tries = world.opened;
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThan(10);
    expect(world.states.at(-1)).toMatch(/waiting|connecting/);
    world.setReachable(true);
    world.pass(60_000);
    expect(world.states.at(-1)).toBe("live");
  });

  it("comes back at a random moment where the server says that it ends, else soon", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.cut();
    world.pass(500);
    expect(world.opened).toBe(2);
    world.cut(1001);
    // Half of five seconds by its random number, and the usual pause.
    world.pass(2_000);
    expect(world.opened).toBe(2);
    world.pass(1_000);
    expect(world.opened).toBe(3);
  });

  it("treats a connection that answers no ping as dead and connects again", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    const before = world.opened;
    const answer = world.deliver;
    world.deliver = () => undefined;
    world.pass(29_000);
    world.deliver = answer;
    world.settle();
    expect(world.opened).toBeGreaterThan(before);
    expect(world.states.at(-1)).toBe("live");
  });

  it("reports that the session has ended, and disconnects with the last listener", () => {
    const world = createWorld();
    const stop = world.watch();
    world.settle();
    world.say({ type: "ended", code: "session_ended" });
    world.deliver();
    expect(world.ended).toBe(1);
    stop();
    world.pass(120_000);
    expect(world.opened).toBe(1);
  });

  it("stays on one connection for as long as it answers", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.pass(120_000);
    expect(world.opened).toBe(1);
    expect(world.timesHeard("ping")).toBe(7);
  });

  it("reports the server's time as of the middle of the round trip", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    expect(world.times).toEqual([5_000]);
    world.holdBack(() => world.pass(20_000 + 600));
    expect(world.times).toEqual([5_000, 25_000 + 300]);
  });

  it("sends its session and its protocol before anything else", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    const first = { type: "hello", protocol: 1, token: "token" };
    expect(world.heard[0]).toEqual(first);
  });

  it("closes the channels that the server refuses: one, or all of them", () => {
    const world = createWorld();
    world.watch();
    const others: ChannelState[] = [];
    world.live.subscribe("site", {
      onSnapshot: () => undefined,
      onEvent: () => undefined,
      onState: (now) => others.push(now),
    });
    world.settle();
    world.say({ type: "refused", channel: "site", code: "not_logged_in" });
    world.deliver();
    expect([world.states.at(-1), others.at(-1)]).toEqual(["live", "refused"]);
    world.say({ type: "refused", channel: null, code: "not_logged_in" });
    world.deliver();
    expect(world.states.at(-1)).toBe("refused");
    // A later log-in opens both again.
    world.live.restart();
    world.settle();
    expect(world.states.at(-1)).toBe("live");
    expect(world.opened).toBe(2);
  });

  it("gives a second listener the current state, without another connection", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.move();
    world.settle();
    const seen: number[] = [];
    const told: ChannelState[] = [];
    world.live.subscribe("wallet", {
      onSnapshot: ({ available }) => seen.push(Number(available.minor)),
      onEvent: () => undefined,
      onState: (now) => told.push(now),
    });
    world.settle();
    expect(seen).toEqual([1]);
    expect(told).toEqual(["live"]);
    expect(world.opened).toBe(1);
  });

  it("asks once for all who listen from the start, even for listeners without a state callback", () => {
    const world = createWorld();
    world.watch();
    const seen: bigint[] = [];
    world.live.subscribe("wallet", {
      onSnapshot: ({ available }) => seen.push(available.minor),
      onEvent: ({ state }) => seen.push(state.available.minor),
    });
    world.settle();
    world.move();
    world.settle();
    expect(seen).toEqual([0n, 1n]);
    expect(world.timesHeard("subscribe")).toBe(1);
  });

  it("sends nothing on a connection that has not welcomed it", () => {
    const world = createWorld();
    world.watch();
    const stop = world.live.subscribe("site", {
      onSnapshot: () => undefined,
      onEvent: () => undefined,
    });
    stop();
    expect(world.heard).toEqual([]);
    world.settle();
    expect(world.timesHeard("subscribe")).toBe(1);
    expect(world.timesHeard("unsubscribe")).toBe(0);
  });

  it("leaves a channel with its last listener, even if another one leaves twice", () => {
    const world = createWorld();
    const stop = world.watch();
    const seen: bigint[] = [];
    const stopOther = world.live.subscribe("wallet", {
      onSnapshot: () => undefined,
      onEvent: ({ state }) => seen.push(state.available.minor),
    });
    world.live.subscribe("site", { onSnapshot: () => undefined, onEvent: () => undefined });
    world.settle();
    stop();
    stop();
    world.move();
    world.settle();
    expect([world.shown, seen]).toEqual([0, [1n]]);
    expect(world.timesHeard("unsubscribe")).toBe(0);
    stopOther();
    stopOther();
    expect(world.heard.filter(({ type }) => type === "unsubscribe")).toEqual([
      { type: "unsubscribe", channel: "wallet" },
    ]);
    // The connection stays for the listener of another channel.
    expect(world.line).not.toBeNull();
    world.say(world.snapshot());
    world.settle();
    expect([world.shown, seen]).toEqual([0, [1n]]);
  });

  it("opens no connection while nobody listens, even if it is restarted", () => {
    const world = createWorld();
    world.live.restart();
    expect(world.opened).toBe(0);
    const stop = world.watch();
    world.settle();
    world.cut();
    stop();
    world.pass(60_000);
    expect(world.opened).toBe(1);
  });

  it("is silent for good once it is closed, whether it is connected or waiting", () => {
    for (const isCut of [false, true]) {
      const world = createWorld();
      world.watch();
      world.settle();
      if (isCut) world.cut();
      world.live.close();
      expect(world.line).toBeNull();
      world.pass(120_000);
      expect(world.opened).toBe(1);
      expect(world.timesHeard("ping")).toBe(1);
    }
  });

  it("ignores messages of a connection that it has left, and messages that are not text", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    const old = world.line?.socket;
    world.live.restart();
    old?.onopen?.();
    expect(world.timesHeard("hello")).toBe(1);
    world.settle();
    world.move();
    const late = JSON.stringify({ ...world.snapshot(), version: 9 }, moneyReplacer);
    old?.onmessage?.({ data: late });
    old?.onclose?.({ code: 1006 });
    world.line?.socket.onmessage?.({ data: new Uint8Array([1]) });
    expect(world.states.at(-1)).toBe("live");
    world.settle();
    expect([world.shown, world.opened]).toEqual([1, 2]);
  });

  it("takes the snapshot that it asked for even from a server that was set back", () => {
    const world = createWorld();
    world.setVersion(7);
    world.watch();
    world.settle();
    world.move(true);
    world.move();
    world.setVersion(3);
    world.settle();
    expect(world.shown).toBe(3);
    expect(world.timesHeard("subscribe")).toBe(2);
    world.move();
    world.settle();
    expect(world.shown).toBe(4);
  });

  it("asks again where more waits than it holds, and shows no earlier snapshot", () => {
    const world = createWorld();
    world.setAnswering(false);
    world.watch();
    world.settle();
    const early = world.snapshot();
    for (let n = 0; n < 200; n++) world.move();
    world.settle();
    expect(world.timesHeard("subscribe")).toBe(1);
    world.move();
    world.settle();
    expect(world.timesHeard("subscribe")).toBe(2);
    world.say(early);
    world.settle();
    expect(world.shown).toBeNull();
    world.say(world.snapshot());
    world.settle();
    expect(world.shown).toBe(201);
    world.move();
    world.settle();
    expect(world.shown).toBe(202);
  });

  it("comes back after at least half of its pause, and at most the whole", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.cut();
    world.pass(249);
    expect(world.opened).toBe(1);
    world.pass(251);
    expect(world.opened).toBe(2);
  });

  it("connects at once where a listener comes while it waits, and not once more after", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.cut();
    world.live.subscribe("site", { onSnapshot: () => undefined, onEvent: () => undefined });
    world.settle();
    expect([world.opened, world.states.at(-1)]).toEqual([2, "live"]);
    world.pass(30_000);
    expect(world.opened).toBe(2);
  });

  it("waits twenty seconds at most, and only briefly again after a connection that worked", () => {
    const world = createWorld();
    world.setReachable(false);
    world.watch();
    world.pass(3_600_000);
    const before = world.opened;
    world.pass(280_000);
    // Eight seconds for an answer and three quarters of twenty, ten times.
    expect(world.opened - before).toBeGreaterThanOrEqual(11);
    expect(world.opened - before).toBeLessThanOrEqual(13);
    world.setReachable(true);
    world.pass(30_000);
    const back = world.opened;
    world.cut();
    world.pass(500);
    expect(world.opened).toBe(back + 1);
  });
});
