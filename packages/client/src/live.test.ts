import type { ClientMessage, ServerMessage } from "@perya/contract/socket";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChannelState, createLive, type Live, type Socket } from "./live.ts";

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
  let opened = 0;
  let reachable = true;

  const state = (minor: number) => ({
    available: { minor: String(minor), currency: "PHP" as const },
    held: { minor: "0", currency: "PHP" as const },
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
    line?.inbox.push(JSON.stringify(message));
  }

  const world = {
    heard,
    states,
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
    /** One movement; its event is on the way unless the line loses it. */
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
      if (line?.joined && !lost) line.inbox.push(JSON.stringify(message));
    },
    /** What the server shows now. */
    snapshot(): ServerMessage {
      return { type: "snapshot", channel: "wallet", version, data: state(version) };
    },
    say(message: ServerMessage) {
      answer(message);
    },
    openLine() {
      if (line === null || line.open) return;
      line.open = true;
      line.socket.onopen?.();
    },
    /** Delivers what waits, oldest first. */
    deliver(count = Number.POSITIVE_INFINITY) {
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

  it("takes a snapshot that it did not ask for, unless events have overtaken it", () => {
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
    // What is missed after it is asked for as ever, and nothing is shown before the answer.
    world.move(true);
    world.move();
    world.deliver(1);
    world.move();
    world.settle();
    expect(world.shown).toBe(5);
    expect(world.heard.filter(({ type }) => type === "subscribe")).toHaveLength(2);
  });

  it("takes what is told by instants also after the clock was set back", () => {
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

  it("drops an event that is not newer than what it has", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.move();
    world.deliver();
    const stale = {
      available: { minor: "0", currency: "PHP" },
      held: { minor: "0", currency: "PHP" },
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

  it("ends at the server's state whatever was lost, delayed or cut on the way", () => {
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
        // What was lost last is noticed by the next event, and by a new line at the latest.
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

  it("comes back at a moment of its own where the server says that it ends, else soon", () => {
    const world = createWorld();
    world.watch();
    world.settle();
    world.cut();
    world.pass(500);
    expect(world.opened).toBe(2);
    world.cut(1001);
    // Half of five seconds by its chance, and the usual pause.
    world.pass(2_000);
    expect(world.opened).toBe(2);
    world.pass(1_000);
    expect(world.opened).toBe(3);
  });

  it("takes a line that answers no ping for dead and connects anew", () => {
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

  it("tells that the session has ended and hangs up with the last listener", () => {
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
});
