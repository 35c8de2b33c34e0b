import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import { type Bus, lossesOf } from "../../platform/bus.ts";
import { Gathered } from "../../platform/sockets/gathered.ts";
import type { Versioned } from "../../platform/sockets/live.ts";

/** How far the event is that everybody plays on. */
export interface Moment {
  /** A later event has a higher number. */
  readonly number: number;
  readonly phase: string;
  /** Given if an event that waits can be made to wait anew. */
  readonly startsAt?: Instant;
}

/** A game's own part of its view. */
export interface ShownGame<Shown, Sent, Own, State, News> {
  /** The topic on the bus. */
  readonly topic: string;
  /** The order of the phases; an event never goes back to an earlier one. */
  readonly order: Readonly<Record<string, number>>;
  readonly momentOf: (shown: Shown) => Moment;
  /** What a process keeps of a brand's bets, made of what a phase brings. */
  readonly ownOf: (sent: Sent) => Own;
  /** The bets of a brand that the phase did not name; null if such a brand is shown nothing. */
  readonly unnamed: Sent | null;
  readonly stateOf: (shown: Shown, own: Own) => State;
  /** Adds a message to what is kept; answers whether it changed anything. */
  readonly heed: (own: Own, news: News, shown: Shown) => boolean;
  /** The event that tells the sockets of a brand of all messages since the last one. */
  readonly eventOf: (own: Own, shown: Shown) => object;
  /** Whether that event has only what changed, and so builds on the event before it. */
  readonly tellsChanges: boolean;
}

type Phase<Shown, Sent> = Shown & {
  readonly type: "phase";
  readonly brands: Readonly<Record<string, Sent>>;
};

/**
 * What every screen shows of an event that all brands share, in every process, with the bets of its
 * own brand. All processes hear the same messages and keep the same picture. Each tells its own
 * sockets: of a phase at once, since money depends on it, of bets a few times a second. What was
 * read because the bus lost a message and what the bus brings late meet here, so no picture is
 * replaced by an older one.
 */
export class SharedView<Shown, Sent, Own, State, News extends { readonly merchantId: string }> {
  readonly #game: ShownGame<Shown, Sent, Own, State, News>;
  readonly #bus: Bus;
  readonly #tell: (merchantId: string, event: Versioned) => void;
  readonly #hasLost: (known: string) => boolean;
  #shown: Shown | null = null;
  #givesWay = false;
  #owns = new Map<string, Own>();
  /** Counts events; a brand's version is that of its last one. */
  #version = 0;
  #phaseVersion = 0;
  #toldVersions = new Map<string, number>();
  readonly #gathered = new Gathered();

  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(
    game: ShownGame<Shown, Sent, Own, State, News>,
    bus: Bus,
    tell: (merchantId: string, event: Versioned) => void,
  ) {
    this.#game = game;
    this.#bus = bus;
    this.#tell = tell;
    this.#hasLost = lossesOf(bus);
    bus.subscribe(game.topic, (text) => this.#hear(JSON.parse(text)));
  }

  /**
   * The event as a brand's visitors see it; null before the first one, and if they see none. Changes
   * gathered since the last message to the sockets are in it, and come once more with the next.
   */
  snapshot(merchantId: string): { readonly version: number; readonly data: State } | null {
    const own = this.#ownOf(merchantId);
    if (this.#shown === null || own === null) return null;
    const data = this.#game.stateOf(this.#shown, own);
    return { version: this.#versionOf(merchantId), data };
  }

  /**
   * The database goes on from an earlier moment, so events come again whose numbers were shown:
   * whatever is read or heard next replaces what is shown.
   */
  giveWay(): void {
    this.#givesWay = true;
  }

  /**
   * Whether this process may have missed something of the current event.
   * @param known what the database says of it; `bets` changes with its bets
   */
  lacks(known: Moment & { readonly bets: string | number }): boolean {
    const { number, phase, startsAt, bets } = known;
    const lost = this.#hasLost(`${number} ${phase} ${startsAt} ${bets}`);
    return this.#newness(known) > 0 || lost;
  }

  /** Takes what was read instead of heard, for this process alone. */
  read(shown: Shown, brands: Readonly<Record<string, Sent>>): void {
    if (this.#newness(this.#game.momentOf(shown)) >= 0) this.#enter(shown, brands);
  }

  phase(shown: Shown, brands: Readonly<Record<string, Sent>>): void {
    this.send({ ...shown, type: "phase", brands });
  }

  protected send(told: Phase<Shown, Sent> | News): void {
    this.#bus.publish(this.#game.topic, JSON.stringify(told));
  }

  #hear(told: Phase<Shown, Sent> | News): void {
    if ("brands" in told) {
      if (this.#newness(this.#game.momentOf(told)) > 0) this.#enter(told, told.brands);
      return;
    }
    const { merchantId } = told;
    const shown = this.#shown;
    const own = this.#ownOf(merchantId);
    if (shown === null || own === null || !this.#game.heed(own, told, shown)) return;
    this.#gathered.note(merchantId, () => this.#tellBets(merchantId, own, shown));
  }

  /** Above zero: newer than what is shown; zero: the same; below: older. */
  #newness({ number, phase, startsAt }: Moment): number {
    if (this.#shown === null || this.#givesWay) return 1;
    const shown = this.#game.momentOf(this.#shown);
    const rankOf = (one: string) => present(this.#game.order[one], "a phase of the game");
    const later = number - shown.number || rankOf(phase) - rankOf(shown.phase);
    // An event that waits anew begins at another time, by another process's clock.
    return later || Number(startsAt !== shown.startsAt);
  }

  #enter(shown: Shown, brands: Readonly<Record<string, Sent>>): void {
    this.#givesWay = false;
    // A phase replaces what has gathered, as it replaces what was sent.
    this.#gathered.clear();
    this.#version += 1;
    this.#phaseVersion = this.#version;
    this.#toldVersions = new Map();
    this.#shown = shown;
    this.#owns = new Map();
    for (const [merchantId, sent] of Object.entries(brands)) {
      const own = this.#game.ownOf(sent);
      this.#owns.set(merchantId, own);
      const event = { type: "phase", state: this.#game.stateOf(shown, own) };
      // A phase carries the whole state, so it depends on no earlier event.
      this.#tell(merchantId, { version: this.#version, after: 0, event });
    }
  }

  #tellBets(merchantId: string, own: Own, shown: Shown): void {
    const after = this.#game.tellsChanges ? this.#versionOf(merchantId) : 0;
    this.#version += 1;
    this.#toldVersions.set(merchantId, this.#version);
    const event = this.#game.eventOf(own, shown);
    this.#tell(merchantId, { version: this.#version, after, event });
  }

  #versionOf(merchantId: string): number {
    return this.#toldVersions.get(merchantId) ?? this.#phaseVersion;
  }

  #ownOf(merchantId: string): Own | null {
    const known = this.#owns.get(merchantId);
    const { unnamed, ownOf } = this.#game;
    if (known !== undefined || unnamed === null) return known ?? null;
    // A brand that was made since the phase.
    const own = ownOf(unnamed);
    this.#owns.set(merchantId, own);
    return own;
  }
}
