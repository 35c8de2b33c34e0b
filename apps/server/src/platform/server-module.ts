import type { Channel } from "@perya/contract/socket";
import type { Task } from "./jobs.ts";
import type { Kept } from "./keeper.ts";
import type { ReadSnapshot } from "./sockets/live.ts";

/** What a module brings to the server. */
export interface ServerModule {
  /**
   * The handlers of its calls, by method and path. `build.ts` spreads them one module after the
   * other, so that the compiler sees a call without a handler.
   */
  readonly calls: object;
  /** Its jobs, by name. */
  readonly tasks?: Readonly<Record<string, Task>>;
  /** The cron patterns of its scheduled jobs, UTC. */
  readonly schedule?: Readonly<Record<string, string>>;
  /** The first snapshot of each of its channels. */
  readonly channels?: { readonly [Name in Channel]?: ReadSnapshot };
  /** The rounds that one process at a time holds for everybody. */
  readonly keeps?: readonly KeptRounds[];
  /** Before the first call is answered; again is harmless. */
  readonly prepare?: () => Promise<void>;
  /** From when calls are answered. */
  readonly start?: () => void;
  readonly stop?: () => Promise<void>;
  /** The database goes on from an earlier moment: what was shown gives way to what stands. */
  readonly giveWay?: () => void;
}

export interface KeptRounds {
  /** The name of its lease. */
  readonly name: string;
  readonly kept: Kept;
  /** What the log says where a round failed. */
  readonly trouble: string;
}

/** Sends an event to the sockets of this process. @param brand null for those of all brands */
export type Tell = (
  channel: Channel,
  brand: string | null,
  event: { readonly version: number; readonly after: number; readonly event: unknown },
) => void;
