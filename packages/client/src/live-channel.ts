import type { Channel, ChannelEvent, ChannelSnapshot } from "@perya/contract/socket";

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

/** Events that may wait for the snapshot they follow; above it the snapshot is asked for again. */
const WAITING_MAX = 200;

interface Waiting {
  readonly version: number;
  readonly after: number;
  readonly event: ChannelEvent<Channel>;
}

export type LiveChannel = ReturnType<typeof createChannel>;

/**
 * A channel's listeners and version.
 * @param subscribe asks the server for a snapshot and for the events that follow it
 */
export function createChannel(name: Channel, subscribe: () => void) {
  const listeners = new Set<ChannelListener<Channel>>();
  let state: ChannelState = "waiting";
  /** Null until a snapshot has come. */
  let version: number | null = null;
  /** Outstanding snapshots; events wait for the last, because an earlier one may be too old. */
  let asked = 0;
  let waiting: Waiting[] = [];

  function setState(next: ChannelState): void {
    if (state === next) return;
    state = next;
    for (const listener of [...listeners]) listener.onState?.(state);
  }

  function ask(): void {
    waiting = [];
    asked++;
    subscribe();
  }

  function isBefore(than: number): boolean {
    return !TIMED_CHANNELS.includes(name) && version !== null && than < version;
  }

  function takeEvent(taken: Waiting): void {
    if (asked > 0 || version === null) {
      waiting.push(taken);
      // The next snapshot includes the overflow, because it is asked for afterwards.
      if (waiting.length > WAITING_MAX) ask();
      return;
    }
    if (isBefore(taken.version - 1)) return;
    if (taken.after > version) {
      // The snapshot includes it too, because it is asked for afterwards. Keeping it would ask
      // forever where the server was set back.
      ask();
      return;
    }
    version = taken.version;
    for (const listener of [...listeners]) listener.onEvent(taken.event, version);
  }

  function takeSnapshot(data: ChannelSnapshot<Channel>, its: number): void {
    // An unrequested snapshot repairs possible losses; events may have overtaken it.
    if (asked === 0 && isBefore(its)) return;
    asked = Math.max(0, asked - 1);
    if (asked > 0) return;
    const later = waiting;
    waiting = [];
    version = its;
    setState("live");
    for (const listener of [...listeners]) listener.onSnapshot(data, its);
    // A listener may have left meanwhile, and with it the channel.
    for (const event of later) if (listeners.size > 0) takeEvent(event);
  }

  return {
    ask,
    takeEvent,
    takeSnapshot,
    isAsked: () => asked > 0,
    /** A new connection knows nothing of what was asked for on the one before. */
    begin(next: ChannelState): void {
      asked = 0;
      version = null;
      setState(next);
    },
    refuse(): void {
      asked = Math.max(0, asked - 1);
      setState("refused");
    },
    add(listener: ChannelListener<Channel>): void {
      listeners.add(listener);
      listener.onState?.(state);
    },
    /** Whether it was the last listener. */
    dropLast: (listener: ChannelListener<Channel>): boolean =>
      listeners.delete(listener) && listeners.size === 0,
  };
}
