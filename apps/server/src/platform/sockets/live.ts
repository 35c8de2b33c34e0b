import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  BRAND_CHANNELS,
  type Channel,
  type ClientMessage,
  clientMessage,
  OWN_CHANNELS,
  type ServerMessage,
} from "@perya/contract/socket";
import type { Clock, Entropy } from "@perya/kernel/instant";
import { type WebSocket, WebSocketServer } from "ws";
import { blocksOf, isLoopback } from "../address-block.ts";
import type { Bus } from "../bus.ts";
import { Ends } from "../ends.ts";
import type { Sender } from "../http/sender.ts";
import type { Logger } from "../log.ts";
import { isUnavailable } from "../postgres/pool.ts";

/** An event at a version; `after` is the version that it builds on. */
export interface Versioned {
  readonly version: number;
  readonly after: number;
  readonly event: unknown;
}

interface Snapshot {
  readonly version: number;
  readonly data: unknown;
}

/** The session of a socket; null is a visitor. */
export interface SocketSession {
  readonly id: string;
  readonly memberId: string;
}

/**
 * The first snapshot of a channel.
 * @param session whose channel it is, for those that show one player's own affairs
 * @param brand the id of the brand whose site the socket is at; null for none
 */
export type ReadSnapshot = (
  session: SocketSession | null,
  brand: string | null,
) => Promise<Snapshot>;

export interface LiveOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly bus: Bus;
  readonly path: string;
  readonly snapshots: Readonly<Record<Channel, ReadSnapshot>>;
  /** The session of both halves, or null; `host` names the brand. */
  readonly sessionOf: (
    host: string,
    token: string,
    cookieHeader: string | undefined,
  ) => Promise<SocketSession | null>;
  /** The brand of a host, by id; null for a host that no brand has. */
  readonly brandOf: (host: string) => Promise<string | null>;
  /** Which of these sessions can no longer be used; called for all of them at a heartbeat. */
  readonly endedOf: (sessionIds: readonly string[]) => Promise<readonly string[]>;
  /** The connection's sender and the requested host, as for every call. */
  readonly senderOf: (request: IncomingMessage) => Sender;
  readonly onCount: (open: number) => void;
  /** Sockets per block of addresses; tests open fewer. */
  readonly perAddressMax?: number;
  /** Between two heartbeats; tests wait less long than browsers do. */
  readonly heartbeatMs?: number;
  /**
   * Between the bus's return and the first fresh snapshot, and between two tries to read those that
   * could not be read; tests set a shorter time.
   */
  readonly refreshAfterMs?: number;
  /** Between two times that all are sent the present state; tests set a shorter time. */
  readonly refreshPauseMs?: number;
}

interface Peer {
  readonly socket: WebSocket;
  readonly host: string;
  readonly cookie: string | undefined;
  readonly topics: Set<string>;
  /** Of its topics, those whose snapshot it must still be sent. */
  owed: string[];
  greeted: boolean;
  session: SocketSession | null;
  brand: string | null;
  alive: boolean;
  /** The content of the last ping: only a peer that has read up to it can answer with it. */
  asked: string;
  /** Messages it may still send before the next refill. */
  allowance: number;
}

const MESSAGE_MAX_BYTES = 2_048;
const SOCKETS_MAX = 20_000;
/** Carriers put many phones behind one address, though not so many that play at once. */
const PER_ADDRESS_MAX = 500;
const HEARTBEAT_MS = 25_000;
const ALLOWANCE = 60;
/** A phone that is behind by more than this is closed and resyncs when it is back. */
const BUFFERED_MAX_BYTES = 512 * 1024;
/** For a socket's close to be answered; a phone that is away does not answer. */
const FAREWELL_MS = 1_000;
/** How long a refused caller may take to read that. */
const REFUSED_MS = 1_000;
const BUS_TOPIC = "live";
/** By then every process has found that the bus answers again, and loses nothing any more. */
const REFRESH_AFTER_MS = 2_000;
const REFRESH_SPREAD_MS = 5_000;
/** Each costs one read per player: a process that loses messages repeatedly has other work. */
export const REFRESH_AGAIN_MS = 30_000;
const REFRESH_PAUSE_MAX_MS = 100;
/** How long shared content is cached for the next reader; a time in it is as old at most. */
const SHARED_MS = 1_000;

/** Live channels over WebSocket: a snapshot, then events; each is serialised once for all. */
export class Live {
  readonly #options: LiveOptions;
  readonly #server: WebSocketServer;
  readonly #peers = new Set<Peer>();
  /** Open connections by brand and block of addresses. */
  readonly #addresses = new Map<string, number>();
  readonly #topics = new Map<string, Set<Peer>>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #refreshAfterMs: number;
  readonly #refreshPauseMs: number;
  /** Until the planned refresh, and from then on until the next one may be planned. */
  #refresh: NodeJS.Timeout | null = null;
  /** Whether another refresh was requested since. */
  #refreshAgain = false;
  /** Until the planned look at the sessions of all sockets. */
  #look: NodeJS.Timeout | null = null;
  /** Whether another look was requested since. */
  #lookAgain = false;
  /** By topic: the last snapshot sent, of those that many see alike. */
  readonly #shared = new Map<string, { readonly version: number; readonly text: string }>();
  #paying = false;
  #closing = false;
  /** By session, so that an end searches only its own sockets. */
  readonly #held = new Map<string, Set<Peer>>();
  readonly #ends = new Ends();

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#refreshAfterMs = options.refreshAfterMs ?? REFRESH_AFTER_MS;
    this.#refreshPauseMs = options.refreshPauseMs ?? REFRESH_AGAIN_MS;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MAX_BYTES });
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS);
    this.#heartbeat.unref();
    options.bus.subscribe(BUS_TOPIC, (message) => this.#deliver(message));
    options.bus.onReturn(() => {
      this.#refreshSoon();
      this.#endLapsedSoon();
    });
  }

  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      // Node no longer handles the connection's errors; a caller who hung up is gone.
      stream.on("error", () => stream.destroy());
      const path = (request.url ?? "").split("?")[0];
      const full = this.#closing || this.#peers.size >= SOCKETS_MAX;
      if (path !== this.#options.path || full || !this.#isSameOrigin(request)) {
        return refuse(stream, full ? "503 Service Unavailable" : "404 Not Found");
      }
      void this.#upgrade(request, stream, head);
    });
  }

  /** A page of another origin must not use the cookie half. */
  #isSameOrigin(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return true;
    if (!URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    // A proxy may name the scheme's own port, which no origin does.
    const asked = `${protocol}//${this.#options.senderOf(request).host}`;
    return URL.canParse(asked) && new URL(asked).host === host;
  }

  async #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const sender = this.#options.senderOf(request);
    let brand: string | null;
    try {
      brand = await this.#options.brandOf(sender.hostname);
    } catch (error) {
      if (!isUnavailable(error)) this.#options.log.error({ err: error }, "an upgrade failed");
      return refuse(stream, "503 Service Unavailable");
    }
    // A caller who hung up meanwhile would be counted for ever.
    if (stream.destroyed) return;
    if (!this.#hasRoomFor(brand, sender.address, stream)) {
      return refuse(stream, "429 Too Many Requests");
    }
    this.#server.handleUpgrade(request, stream, head, (socket) =>
      this.#welcome(socket, sender.hostname, request.headers.cookie),
    );
  }

  /**
   * Sends an event to everyone on the channel, in every process. Publish after commit only.
   * @param owner the member of a private channel, the brand of a brand's, null for a shared one
   */
  publish(channel: Channel, owner: string | null, event: Versioned): void {
    const text = JSON.stringify({ type: "event", channel, ...event });
    this.#options.bus.publish(BUS_TOPIC, `${topicOf(channel, owner)}\n${text}`);
  }

  /** Sends an event to this process's sockets only, if every process sends it to its own. */
  tell(channel: Channel, owner: string | null, event: Versioned): void {
    const text = JSON.stringify({ type: "event", channel, ...event });
    this.#deliver(`${topicOf(channel, owner)}\n${text}`);
  }

  endSession(sessionId: string): void {
    this.#ends.note(sessionId);
    for (const peer of this.#held.get(sessionId) ?? []) {
      this.#send(peer, { type: "ended", code: "session_ended" });
      peer.socket.close(4001, "session ended");
    }
  }

  /** Closes those of a session that its browser replaced: they come back with the new one. */
  dropSession(sessionId: string): void {
    this.#ends.note(sessionId);
    for (const peer of this.#held.get(sessionId) ?? []) peer.socket.close(1012, "another session");
  }

  /** Makes everyone reconnect, each at a moment of their own, to get fresh snapshots. */
  callBack(): void {
    for (const peer of this.#peers) peer.socket.close(1001, "come back");
  }

  /** Sends everyone elsewhere, each at a moment of their own; takes nobody new. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const timer of [this.#refresh, this.#look]) if (timer !== null) clearTimeout(timer);
    this.#closing = true;
    for (const peer of this.#peers) peer.socket.close(1001, "server is restarting");
    for (let waited = 0; waited < FAREWELL_MS && this.#peers.size > 0; waited += 25)
      await sleep(25);
    for (const peer of this.#peers) peer.socket.terminate();
    this.#server.close();
  }

  /**
   * Counts the connection for its blocks of addresses at its brand until it closes. The machine's
   * own are not limited: an unknown proxy would look like one caller.
   */
  #hasRoomFor(brand: string | null, address: string, stream: Duplex): boolean {
    const { perAddressMax = PER_ADDRESS_MAX } = this.#options;
    const max = isLoopback(address) ? SOCKETS_MAX : perAddressMax;
    const counted = blocksOf(address).map(({ block, times }) => ({
      name: `${brand ?? ""} ${block}`,
      max: max * times,
    }));
    if (counted.some(({ name, max }) => (this.#addresses.get(name) ?? 0) >= max)) return false;
    for (const { name } of counted) {
      this.#addresses.set(name, (this.#addresses.get(name) ?? 0) + 1);
    }
    stream.once("close", () => {
      for (const { name } of counted) {
        const left = (this.#addresses.get(name) ?? 1) - 1;
        if (left > 0) this.#addresses.set(name, left);
        else this.#addresses.delete(name);
      }
    });
    return true;
  }

  #welcome(socket: WebSocket, host: string, cookie: string | undefined): void {
    const peer: Peer = {
      socket,
      host,
      cookie,
      topics: new Set(),
      owed: [],
      greeted: false,
      session: null,
      brand: null,
      alive: true,
      asked: "",
      allowance: ALLOWANCE,
    };
    this.#peers.add(peer);
    this.#options.onCount(this.#peers.size);
    // One after the other, so that a subscribe waits for the hello before it.
    let turn = Promise.resolve();
    socket.on("message", (bytes, binary) => {
      if (binary || --peer.allowance < 0) return socket.close(1008, "too much");
      turn = turn
        .then(() => this.#receive(peer, String(bytes)))
        .catch((error: unknown) => {
          if (isUnavailable(error)) return socket.close(1013, "try again later");
          this.#options.log.error({ err: error }, "a socket message failed");
          socket.close(1011, "unknown error");
        });
    });
    socket.on("pong", (said) => {
      if (said.toString() === peer.asked) peer.alive = true;
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#forget(peer));
  }

  async #receive(peer: Peer, text: string): Promise<void> {
    // Messages left when it hung up must not join it to a channel for ever.
    if (!this.#peers.has(peer)) return;
    const message = parse(text);
    if (message === null) return peer.socket.close(1008, "not understood");
    switch (message.type) {
      case "hello": {
        if (message.token === null) this.#hold(peer, null);
        else await this.#findSession(peer, message.token);
        peer.brand = await this.#options.brandOf(peer.host);
        peer.greeted = true;
        for (const topic of peer.topics) this.#leave(peer, topic);
        return this.#send(peer, { type: "welcome", loggedIn: peer.session !== null });
      }
      case "subscribe":
        return this.#subscribe(peer, message.channel);
      case "unsubscribe":
        return this.#leave(peer, topicOf(message.channel, ownerOf(message.channel, peer)));
      case "ping":
        return this.#send(peer, { type: "pong", now: this.#options.clock.now() });
    }
  }

  /** Looked up again if that very session ended meanwhile, which nobody held yet. */
  async #findSession(peer: Peer, token: string): Promise<void> {
    const { host, cookie } = peer;
    let kept = false;
    while (!kept) {
      ({ kept } = await this.#ends.keepFound(
        () => this.#options.sessionOf(host, token, cookie),
        (session) => session?.id ?? null,
        (session) => this.#hold(peer, session),
      ));
    }
  }

  #hold(peer: Peer, session: SocketSession | null): void {
    this.#letGo(peer);
    peer.session = session;
    // A caller who hung up meanwhile would be held for ever.
    if (session === null || !this.#peers.has(peer)) return;
    const peers = this.#held.get(session.id) ?? new Set();
    this.#held.set(session.id, peers.add(peer));
  }

  #letGo(peer: Peer): void {
    if (peer.session === null) return;
    const peers = this.#held.get(peer.session.id);
    peers?.delete(peer);
    if (peers?.size === 0) this.#held.delete(peer.session.id);
  }

  async #subscribe(peer: Peer, channel: Channel): Promise<void> {
    const owner = ownerOf(channel, peer);
    const owned = OWN_CHANNELS.includes(channel) || BRAND_CHANNELS.includes(channel);
    if (!peer.greeted || (owned && owner === null)) {
      return this.#send(peer, { type: "refused", channel, code: "not_logged_in" });
    }
    const topic = topicOf(channel, owner);
    // Join first: otherwise an event between the snapshot and the joining would be lost.
    const members = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, members.add(peer));
    peer.topics.add(topic);
    try {
      await this.#show(peer, topic);
    } catch (error) {
      // Each request needs an answer of its own, and one snapshot can be owed.
      if (!isUnavailable(error) || peer.owed.includes(topic)) throw error;
      peer.owed.push(topic);
      void this.#payOwed();
    }
  }

  /**
   * Sends this process's sockets again what their channels show, since nobody else sends what the
   * bus lost. What it loses within the pause that follows is sent after that.
   */
  #refreshSoon(): void {
    // A later socket gets the present state; the bus comes first when a process starts.
    if (this.#peers.size === 0) return;
    // Repeated requests do not delay it.
    this.#refreshAgain = this.#refresh !== null;
    if (this.#refresh !== null) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = setTimeout(() => {
        this.#refresh = null;
        if (this.#refreshAgain) this.#refreshSoon();
      }, this.#refreshPauseMs);
      this.#refresh.unref();
      for (const peer of this.#peers) peer.owed = [...new Set([...peer.owed, ...peer.topics])];
      void this.#payOwed();
    }, this.#refreshAfterMs);
    this.#refresh.unref();
  }

  /**
   * Sends the owed snapshots, one socket after the other, so that many cost some seconds and no
   * rush. One that cannot be read is tried again after all the others, as long as its socket is
   * there.
   */
  async #payOwed(): Promise<void> {
    if (this.#paying) return;
    this.#paying = true;
    let owing = this.#owing();
    while (owing.length > 0) {
      const pauseMs = Math.min(REFRESH_SPREAD_MS / owing.length, REFRESH_PAUSE_MAX_MS);
      let fault: unknown = null;
      for (const peer of owing) {
        fault = (await this.#pay(peer)) ?? fault;
        await sleep(pauseMs);
        if (this.#closing) return;
      }
      if (fault !== null) {
        this.#options.log.warn({ err: fault }, "some sockets were not told anew what they show");
        await sleep(this.#refreshAfterMs, undefined, { ref: false });
      }
      owing = this.#owing();
    }
    this.#paying = false;
  }

  #owing(): readonly Peer[] {
    return [...this.#peers].filter(({ owed }) => owed.length > 0);
  }

  /** Null once it has what it was owed; else why not. */
  async #pay(peer: Peer): Promise<unknown> {
    let fault: unknown = null;
    for (const topic of peer.owed.splice(0)) {
      if (!peer.topics.has(topic)) continue;
      try {
        await this.#show(peer, topic);
      } catch (error) {
        fault = error;
        if (peer.topics.has(topic)) peer.owed.push(topic);
      }
    }
    return fault;
  }

  /** Sends what a channel shows to a socket that is on it, and still is after the read. */
  async #show(peer: Peer, topic: string): Promise<void> {
    // A topic begins with the channel that `#subscribe` named it by.
    const channel = topic.split(" ")[0] as Channel;
    const { version, data } = await this.#options.snapshots[channel](peer.session, peer.brand);
    if (!peer.topics.has(topic)) return;
    // The snapshot's source and the message's type are made from the same contract entry.
    const message = { type: "snapshot", channel, version, data } as ServerMessage;
    if (OWN_CHANNELS.includes(channel)) return this.#send(peer, message);
    let shared = this.#shared.get(topic);
    if (shared?.version !== version) {
      shared = { version, text: JSON.stringify(message) };
      this.#shared.set(topic, shared);
      setTimeout(() => this.#shared.delete(topic), SHARED_MS).unref();
    }
    this.#write(peer.socket, shared.text);
  }

  #leave(peer: Peer, topic: string): void {
    peer.topics.delete(topic);
    const members = this.#topics.get(topic);
    members?.delete(peer);
    if (members?.size === 0) this.#topics.delete(topic);
  }

  #forget(peer: Peer): void {
    for (const topic of peer.topics) this.#leave(peer, topic);
    this.#letGo(peer);
    this.#peers.delete(peer);
    this.#options.onCount(this.#peers.size);
  }

  #deliver(message: string): void {
    const split = message.indexOf("\n");
    const members = this.#topics.get(message.slice(0, split));
    if (members === undefined) return;
    const bytes = Buffer.from(message.slice(split + 1));
    for (const { socket } of members) this.#write(socket, bytes);
  }

  #send(peer: Peer, message: ServerMessage): void {
    this.#write(peer.socket, JSON.stringify(message));
  }

  /** Anything that is not taken waits in our memory. */
  #write(socket: WebSocket, text: string | Buffer): void {
    if (socket.bufferedAmount > BUFFERED_MAX_BYTES) socket.terminate();
    else socket.send(text, { binary: false });
  }

  /**
   * Whatever ended a session, and whether or not it was announced on the bus, its sockets do not
   * outlive the next heartbeat. While nobody can say, they stay.
   */
  async #endLapsed(): Promise<void> {
    if (this.#held.size === 0) return;
    try {
      for (const id of await this.#options.endedOf([...this.#held.keys()])) this.endSession(id);
    } catch (error) {
      this.#options.log.warn({ err: error }, "the sessions of the sockets were not looked up");
    }
  }

  /**
   * The bus may have lost the message of ended sessions; one statement is too cheap for a pause.
   */
  #endLapsedSoon(): void {
    // As above; what is lost before the others find the bus again too ends with the next look.
    this.#lookAgain = this.#look !== null;
    if (this.#look !== null) return;
    this.#look = setTimeout(() => {
      this.#look = null;
      void this.#endLapsed();
      if (this.#lookAgain) this.#endLapsedSoon();
    }, this.#refreshAfterMs);
    this.#look.unref();
  }

  #beat(): void {
    void this.#endLapsed();
    for (const peer of this.#peers) {
      if (!peer.alive) {
        peer.socket.terminate();
        continue;
      }
      peer.alive = false;
      peer.allowance = ALLOWANCE;
      peer.asked = Buffer.from(this.#options.entropy.bytes(8)).toString("hex");
      peer.socket.ping(peer.asked);
    }
  }
}

/** Node reads no more of a connection that asks for an upgrade, and closes none of them itself. */
function refuse(stream: Duplex, status: string): void {
  stream.resume().end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  setTimeout(() => stream.destroy(), REFUSED_MS).unref();
}

function topicOf(channel: Channel, owner: string | null): string {
  return owner === null ? channel : `${channel} ${owner}`;
}

function ownerOf(channel: Channel, peer: Peer): string | null {
  if (BRAND_CHANNELS.includes(channel)) return peer.brand;
  return OWN_CHANNELS.includes(channel) ? (peer.session?.memberId ?? null) : null;
}

function parse(text: string): ClientMessage | null {
  try {
    const parsed = clientMessage.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
