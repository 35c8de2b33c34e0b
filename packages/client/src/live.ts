import type {
  Channel,
  ChannelEvent,
  ChannelSnapshot,
  ClientMessage,
  ServerMessage,
} from "@perya/contract/socket";

/** Repeated so that the contract's schemas stay out of the browser; the compiler compares it. */
const PROTOCOL: (ClientMessage & { type: "hello" })["protocol"] = 1;

/**
 * Channels whose versions are instants. A clock may be set back, and their messages do not build on
 * each other, so each is taken whatever its version.
 */
const TIMED_CHANNELS: readonly Channel[] = ["cashier", "winners", "site"];

/**
 * `waiting`: no connection, the next try is planned. `live`: the newest state is on the page.
 * `refused`: the channel requires a login.
 */
export type ChannelState = "connecting" | "live" | "waiting" | "refused";

export interface ChannelListener<C extends Channel> {
  readonly onSnapshot: (data: ChannelSnapshot<C>, version: number) => void;
  /** Events come in order, each once, none missing: a gap brings a new snapshot instead. */
  readonly onEvent: (event: ChannelEvent<C>, version: number) => void;
  readonly onState?: (state: ChannelState) => void;
}

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
/** Events that may wait for the snapshot they follow; above it the snapshot is asked for again. */
const WAITING_MAX = 200;

interface Waiting {
  readonly version: number;
  readonly after: number;
  readonly event: ChannelEvent<Channel>;
}

interface Subscription {
  readonly channel: Channel;
  readonly listeners: Set<ChannelListener<Channel>>;
  /** Null until a snapshot has come. */
  version: number | null;
  /** Outstanding snapshots; events wait for the last, because an earlier one may be too old. */
  asked: number;
  waiting: Waiting[];
  state: ChannelState;
}

/** One socket for all channels; opens with the first subscription and closes with the last. */
export function createLive(options: LiveOptions): Live {
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const setTimer = options.setTimer ?? ((run, ms) => setTimeout(run, ms));
  // The default `clearTimeout` only gets timers of the default `setTimeout`.
  const clearTimer = options.clearTimer ?? ((timer) => clearTimeout(timer as number));
  const subscriptions = new Map<Channel, Subscription>();
  let socket: Socket | null = null;
  let welcomed = false;
  let failures = 0;
  let reconnectTimer: unknown = null;
  let heartbeatTimer: unknown = null;
  let answerTimer: unknown = null;
  let pingedAt = 0;

  function connect(): void {
    clearTimer(reconnectTimer);
    reconnectTimer = null;
    if (subscriptions.size === 0) return;
    for (const subscription of subscriptions.values()) setState(subscription, "connecting");
    const mine = options.open();
    socket = mine;
    welcomed = false;
    expectAnswer();
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
    stopTimer("answer");
    // Our own server writes these by the contract's type.
    const message = JSON.parse(text) as ServerMessage;
    switch (message.type) {
      case "welcome":
        welcomed = true;
        failures = 0;
        beat();
        ping();
        for (const subscription of subscriptions.values()) ask(subscription);
        return;
      case "pong":
        options.onServerTime?.(message.now + (now() - pingedAt) / 2);
        return;
      case "snapshot":
        takeSnapshot(message.channel, message.version, message.data);
        return;
      case "event":
        takeEvent(message.channel, message);
        return;
      case "refused":
        for (const subscription of subscriptions.values()) {
          if (message.channel !== null && message.channel !== subscription.channel) continue;
          subscription.asked = Math.max(0, subscription.asked - 1);
          setState(subscription, "refused");
        }
        return;
      case "ended":
        options.onSessionEnded();
        return;
    }
  }

  function takeSnapshot(channel: Channel, version: number, data: ChannelSnapshot<Channel>): void {
    const subscription = subscriptions.get(channel);
    if (subscription === undefined) return;
    // An unrequested snapshot repairs possible losses; events may have overtaken it.
    if (subscription.asked === 0 && isBefore(subscription, version)) return;
    subscription.asked = Math.max(0, subscription.asked - 1);
    if (subscription.asked > 0) return;
    const { waiting } = subscription;
    subscription.waiting = [];
    subscription.version = version;
    setState(subscription, "live");
    for (const listener of [...subscription.listeners]) listener.onSnapshot(data, version);
    for (const event of waiting) takeEvent(channel, event);
  }

  function isBefore(subscription: Subscription, version: number): boolean {
    if (TIMED_CHANNELS.includes(subscription.channel)) return false;
    return subscription.version !== null && version < subscription.version;
  }

  function takeEvent(channel: Channel, { version, after, event }: Waiting): void {
    const subscription = subscriptions.get(channel);
    if (subscription === undefined) return;
    if (subscription.asked > 0 || subscription.version === null) {
      subscription.waiting.push({ version, after, event });
      // The next snapshot includes the overflow, because it is asked for afterwards.
      if (subscription.waiting.length > WAITING_MAX) ask(subscription);
      return;
    }
    if (isBefore(subscription, version - 1)) return;
    if (after > subscription.version) {
      // The snapshot includes it too, because it is asked for afterwards. Keeping it would ask
      // forever where the server was set back.
      ask(subscription);
      return;
    }
    subscription.version = version;
    for (const listener of [...subscription.listeners]) listener.onEvent(event, version);
  }

  function ask(subscription: Subscription): void {
    subscription.waiting = [];
    subscription.asked++;
    tell({ type: "subscribe", channel: subscription.channel });
    expectAnswer();
  }

  function tell(message: ClientMessage): void {
    socket?.send(JSON.stringify(message));
  }

  function ping(): void {
    pingedAt = now();
    tell({ type: "ping" });
    expectAnswer();
  }

  function beat(): void {
    stopTimer("heartbeat");
    heartbeatTimer = setTimer(() => {
      ping();
      beat();
    }, HEARTBEAT_MS);
  }

  function expectAnswer(): void {
    if (answerTimer === null) answerTimer = setTimer(() => lost(), ANSWER_MS);
  }

  function stopTimer(which: "answer" | "heartbeat"): void {
    clearTimer(which === "answer" ? answerTimer : heartbeatTimer);
    if (which === "answer") answerTimer = null;
    else heartbeatTimer = null;
  }

  function hangUp(): void {
    stopTimer("answer");
    stopTimer("heartbeat");
    const old = socket;
    socket = null;
    welcomed = false;
    old?.close();
    for (const subscription of subscriptions.values()) {
      subscription.asked = 0;
      subscription.version = null;
    }
  }

  /** @param laterMs waited beyond the usual pause */
  function lost(laterMs = 0): void {
    hangUp();
    for (const subscription of subscriptions.values()) setState(subscription, "waiting");
    if (subscriptions.size === 0 || reconnectTimer !== null) return;
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** failures);
    failures++;
    reconnectTimer = setTimer(connect, laterMs + longest * (0.5 + random() / 2));
  }

  function setState(subscription: Subscription, state: ChannelState): void {
    if (subscription.state === state) return;
    subscription.state = state;
    for (const listener of [...subscription.listeners]) listener.onState?.(state);
  }

  return {
    subscribe(channel, listener) {
      // A listener of one channel gets only messages of that channel.
      const plain = listener as unknown as ChannelListener<Channel>;
      const known = subscriptions.get(channel);
      const subscription: Subscription = known ?? {
        channel,
        listeners: new Set(),
        version: null,
        asked: 0,
        waiting: [],
        state: "waiting",
      };
      subscriptions.set(channel, subscription);
      subscription.listeners.add(plain);
      plain.onState?.(subscription.state);
      // A second listener has no state yet either; the snapshot goes to all of them.
      if (socket === null) connect();
      else if (welcomed && subscription.asked === 0) ask(subscription);
      return () => {
        if (!subscription.listeners.delete(plain) || subscription.listeners.size > 0) return;
        subscriptions.delete(channel);
        if (welcomed) tell({ type: "unsubscribe", channel });
        if (subscriptions.size === 0) hangUp();
      };
    },
    restart() {
      hangUp();
      failures = 0;
      connect();
    },
    close() {
      subscriptions.clear();
      clearTimer(reconnectTimer);
      hangUp();
    },
  };
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
