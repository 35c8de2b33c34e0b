import type { Channel } from "@perya/contract/socket";
import type { Task } from "./jobs.ts";
import type { Kept } from "./keeper.ts";
import type { ReadSnapshot } from "./sockets/live.ts";

/** What a module brings to the server. */
export interface ServerModule {
  /** The handlers of its calls, by method and path. */
  readonly calls: object;
  /** Its jobs, by name. */
  readonly tasks?: Readonly<Record<string, Task>>;
  /** When those of its jobs run that nobody asks for; cron, UTC. */
  readonly schedule?: Readonly<Record<string, string>>;
  /** With what its live channels begin. */
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
  /** Of its lease. */
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
