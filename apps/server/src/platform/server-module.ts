import type { Channel } from "@perya/contract/socket";
import { assert } from "@perya/kernel/assert";
import type { Clock, Entropy } from "@perya/kernel/instant";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { Bus } from "./bus.ts";
import type { Config } from "./config.ts";
import type { Task } from "./jobs.ts";
import type { Kept } from "./keeper.ts";
import type { Logger } from "./log.ts";
import type { ReadSnapshot, Versioned } from "./sockets/live.ts";

export interface ModuleParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly tell: Tell;
  /** Sends an event to the sockets of every process; after commit only. */
  readonly publish: Tell;
}

/** What a module brings to the server; every part is optional. */
export interface ServerModule {
  readonly calls?: Readonly<Record<string, unknown>>;
  readonly tasks?: Readonly<Record<string, Task>>;
  /** Those of its jobs that wait for an outside service, by name. */
  readonly outside?: Readonly<Record<string, Task>>;
  readonly schedule?: Readonly<Record<string, string>>;
  readonly channels?: { readonly [Name in Channel]?: ReadSnapshot };
  /** The rounds that one process at a time holds for everybody. */
  readonly keeps?: readonly KeptRounds[];
  /** Adds its pages and pictures, which are no calls. */
  readonly pages?: (app: FastifyInstance) => void;
  /** Runs before the first call is answered; a repetition is harmless. */
  readonly prepare?: () => Promise<void>;
  /** Runs once calls are answered. */
  readonly start?: () => void;
  /** From now on another process goes on with it; calls are still answered. */
  readonly stop?: () => Promise<void>;
  /**
   * Begins no more outside calls, and waits for those under way. Called when jobs end and again
   * after the last call was answered.
   */
  readonly finish?: () => Promise<void>;
  /** The database goes on from an earlier moment: the present state replaces what was shown. */
  readonly giveWay?: () => void;
}

interface KeptRounds {
  readonly name: string;
  readonly kept: Kept;
  /** What the log says if a round failed. */
  readonly trouble: string;
}

/** @param owner whose channel it is, a player's or a brand's id; null for everybody's */
export type Tell = (channel: Channel, owner: string | null, event: Versioned) => void;

type Named = Readonly<Record<string, ServerModule>>;
type Part<
  Modules extends Named,
  Name extends keyof ServerModule,
> = Modules[keyof Modules] extends infer One
  ? One extends { readonly [N in Name]: infer Brought }
    ? Brought
    : never
  : never;
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  one: infer Whole,
) => void
  ? Whole
  : never;

/**
 * What modules bring together. Its type names each call and channel, so that the compiler reports
 * one that no module brings.
 * @throws Error if two bring the same name
 */
export function joined<Modules extends Named>(modules: Modules) {
  const list: readonly ServerModule[] = Object.values(modules);
  return {
    list,
    // `merged` keeps every name of every part.
    calls: merged(list.map(({ calls }) => calls)) as All<Part<Modules, "calls">>,
    channels: merged(list.map(({ channels }) => channels)) as All<Part<Modules, "channels">>,
    tasks: merged<Task>(list.map(({ tasks }) => tasks)),
    outside: merged<Task>(list.map(({ outside }) => outside)),
    schedule: merged<string>(list.map(({ schedule }) => schedule)),
    keeps: list.flatMap(({ keeps = [] }) => keeps),
  };
}

function merged<Value>(
  parts: readonly (Readonly<Record<string, Value>> | undefined)[],
): Record<string, Value> {
  const all = parts.flatMap((part = {}) => Object.entries(part));
  const whole = Object.fromEntries(all);
  assert(Object.keys(whole).length === all.length, "a name stands in one part");
  return whole;
}
