import type { Channel, ClientMessage, ServerMessage } from "@perya/contract/socket";
import { moneyReviver } from "@perya/kernel/money";
import { type ChannelListener, createChannel, type LiveChannel } from "./live-channel.ts";

/** Repeated so that the contract's schemas stay out of the browser; the compiler compares it. */
const PROTOCOL: (ClientMessage & { type: "hello" })["protocol"] = 1;

/** The used part of a WebSocket; tests pass their own. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
}

export interface LiveOptions {
  readonly open: () => Socket;
  readonly getSessionToken: () => string | null;
  readonly onSessionEnded: () => void;
  /** The server's clock, half a round trip old at most. */
  readonly onServerTime?: (nowMs: number) => void;
  readonly now?: () => number;
  /** 0 to 1; spreads the reconnects of many phones. */
  readonly random?: () => number;
  readonly setTimer?: (run: () => void, ms: number) => unknown;
  readonly clearTimer?: (timer: unknown) => void;
}

export interface Live {
  subscribe<C extends Channel>(channel: C, listener: ChannelListener<C>): () => void;
  /** Reconnects at once: the session changed, the network is back, the page is visible again. */
  restart(): void;
  close(): void;
}

const HEARTBEAT_MS = 20_000;
/** After a ping or a subscribe, silence for so long means that the connection is dead. */
const ANSWER_MS = 8_000;
const BACKOFF_MIN_MS = 500;
const BACKOFF_MAX_MS = 20_000;
/** The server ends: all its phones hear so at once, but must not reconnect at once. */
const GOING_AWAY = 1001;
const SPREAD_MS = 5_000;
/** One socket for all channels; opens with the first subscription and closes with the last. */
export function createLive(options: LiveOptions): Live {
  const channels = new Map<Channel, LiveChannel>();
  const line = createLine(options, {
    isNeeded: () => channels.size > 0,
    onState(state) {
      for (const channel of channels.values()) channel.begin(state);
    },
    onMessage: receive,
  });

  function receive(message: ServerMessage): void {
    switch (message.type) {
      case "welcome":
        for (const channel of channels.values()) channel.ask();
        return;
      case "snapshot":
        channels.get(message.channel)?.takeSnapshot(message.data, message.version);
        return;
      case "event":
        channels.get(message.channel)?.takeEvent(message);
        return;
      case "refused":
        for (const [name, channel] of channels) {
          if (message.channel === null || message.channel === name) channel.refuse();
        }
        return;
      case "ended":
        options.onSessionEnded();
        return;
    }
  }

  return {
    subscribe(name, listener) {
      // A listener of one channel gets only messages of that channel.
      const plain = listener as unknown as ChannelListener<Channel>;
      const subscribe = () => line.ask({ type: "subscribe", channel: name });
      const channel = channels.get(name) ?? createChannel(name, subscribe);
      channels.set(name, channel);
      channel.add(plain);
      // A second listener has no state yet either; the snapshot goes to all of them.
      if (!line.isOpen()) line.connect();
      else if (line.isWelcomed() && !channel.isAsked()) channel.ask();
      return () => {
        if (!channel.dropLast(plain)) return;
        channels.delete(name);
        if (line.isWelcomed()) line.tell({ type: "unsubscribe", channel: name });
        if (channels.size === 0) line.hangUp();
      };
    },
    restart: line.restart,
    close() {
      channels.clear();
      line.close();
    },
  };
}

interface LineOwner {
  /** Whether anything needs a connection. */
  readonly isNeeded: () => boolean;
  /** What the server sent before is void from then on. */
  readonly onState: (state: "connecting" | "waiting") => void;
  readonly onMessage: (message: ServerMessage) => void;
}

/** A connection that pings the server, and connects again after a loss. */
function createLine(options: LiveOptions, { isNeeded, onState, onMessage }: LineOwner) {
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const setTimer = options.setTimer ?? ((run, ms) => setTimeout(run, ms));
  // The default `clearTimeout` only gets timers of the default `setTimeout`.
  const clearTimer = options.clearTimer ?? ((timer) => clearTimeout(timer as number));
  let socket: Socket | null = null;
  let welcomed = false;
  let failures = 0;
  let reconnectTimer: unknown = null;
  let pingedAt = 0;
  const watch = createWatch({ setTimer, clearTimer }, ping, () => lost());

  function connect(): void {
    clearTimer(reconnectTimer);
    reconnectTimer = null;
    if (!isNeeded()) return;
    onState("connecting");
    const mine = options.open();
    socket = mine;
    watch.expectAnswer();
    mine.onopen = () => {
      if (mine === socket) {
        tell({ type: "hello", protocol: PROTOCOL, token: options.getSessionToken() });
      }
    };
    mine.onmessage = ({ data }) => {
      if (mine === socket && typeof data === "string") receive(data);
    };
    mine.onclose = ({ code }) => {
      if (mine === socket) lost(code === GOING_AWAY ? random() * SPREAD_MS : 0);
    };
  }

  function receive(text: string): void {
    watch.heard();
    // Our own server writes these by the contract's type.
    const message = JSON.parse(text, moneyReviver) as ServerMessage;
    if (message.type === "welcome") {
      welcomed = true;
      failures = 0;
      watch.beat();
      ping();
    } else if (message.type === "pong") {
      options.onServerTime?.(message.now + (now() - pingedAt) / 2);
    }
    onMessage(message);
  }

  function tell(message: ClientMessage): void {
    socket?.send(JSON.stringify(message));
  }

  /** The server must answer it. */
  function ask(message: ClientMessage): void {
    tell(message);
    watch.expectAnswer();
  }

  function ping(): void {
    pingedAt = now();
    ask({ type: "ping" });
  }

  function hangUp(): void {
    watch.stop();
    const old = socket;
    socket = null;
    welcomed = false;
    old?.close();
  }

  /** @param laterMs waited beyond the usual pause */
  function lost(laterMs = 0): void {
    hangUp();
    onState("waiting");
    if (!isNeeded() || reconnectTimer !== null) return;
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** failures);
    failures++;
    reconnectTimer = setTimer(connect, laterMs + longest * (0.5 + random() / 2));
  }

  return {
    connect,
    tell,
    ask,
    hangUp,
    isOpen: () => socket !== null,
    isWelcomed: () => welcomed,
    restart() {
      hangUp();
      failures = 0;
      connect();
    },
    close() {
      clearTimer(reconnectTimer);
      hangUp();
    },
  };
}

/** Pings at intervals, and reports a connection that leaves a question unanswered. */
function createWatch(
  { setTimer, clearTimer }: Required<Pick<LiveOptions, "setTimer" | "clearTimer">>,
  ping: () => void,
  onSilence: () => void,
) {
  let heartbeatTimer: unknown = null;
  let answerTimer: unknown = null;

  function beat(): void {
    clearTimer(heartbeatTimer);
    heartbeatTimer = setTimer(() => {
      ping();
      beat();
    }, HEARTBEAT_MS);
  }

  function expectAnswer(): void {
    answerTimer ??= setTimer(onSilence, ANSWER_MS);
  }

  function heard(): void {
    clearTimer(answerTimer);
    answerTimer = null;
  }

  function stop(): void {
    heard();
    clearTimer(heartbeatTimer);
  }

  return { beat, expectAnswer, heard, stop };
}

/** A live connection to the page's own host that follows the network and the page's visibility. */
export function browserLive(options: Omit<LiveOptions, "open">): Live {
  const url = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
  // WebSocket's handlers take wider events than Socket names; it fits where Socket is used.
  const live = createLive({ ...options, open: () => new WebSocket(url) as unknown as Socket });
  let hiddenAt = 0;
  addEventListener("online", () => live.restart());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = Date.now();
    // A phone that slept may not know that its connection is dead.
    else if (hiddenAt > 0 && Date.now() - hiddenAt > HEARTBEAT_MS) live.restart();
  });
  return live;
}
