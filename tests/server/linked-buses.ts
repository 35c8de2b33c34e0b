import { type Bus, localBus } from "../../apps/server/src/platform/bus.ts";

export interface LinkedBuses {
  readonly one: Bus;
  readonly other: Bus;
  /** As while Redis is away: each process hears only itself, and both know it. */
  cut(): void;
  mend(): void;
  /** Delivers all of the first process's messages to the other again, as a hung line may. */
  bringLate(): void;
}

/** The buses of two processes, which hear each other until they are cut. */
export function linkedBuses(): LinkedBuses {
  const [one, other] = [localBus(), localBus()];
  const told: (readonly [string, string])[] = [];
  let linked = true;
  const link = (own: Bus, far: Bus): Bus => ({
    ...own,
    publish(topic, message) {
      own.publish(topic, message);
      if (own === one) told.push([topic, message]);
      if (linked) far.publish(topic, message);
    },
    answers: () => linked,
  });
  return {
    one: link(one, other),
    other: link(other, one),
    cut: () => {
      linked = false;
    },
    mend: () => {
      linked = true;
    },
    bringLate: () => {
      for (const [topic, message] of told.slice()) other.publish(topic, message);
    },
  };
}
