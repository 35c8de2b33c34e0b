import { deviceStore } from "@perya/client/browser-storage";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../shell/server.ts";
import { type Ladder, within } from "./stake-ladder.ts";

const store = deviceStore();

/** The most that a round may cost with this brand, in minor units; no limit until it is known. */
export function useStakeMax(): bigint | null {
  const { data: status } = useQuery(queries.status());
  // A status that an older app remembered may not say it yet.
  const minor = status?.info.stakeMaxMinor;
  return minor === undefined ? null : BigInt(minor);
}

/** What a game offers under the brand's limit, and the last stake chosen on this device. */
export function useKeptStake(
  key: string,
  all: Ladder,
  fallback: bigint,
): { ladder: Ladder; minor: bigint; choose: (minor: bigint) => void } {
  const max = useStakeMax();
  const ladder = max === null ? all : within(all, max);
  const [kept, setKept] = useState(() => store.getItem(`MC_STAKE:${key}`));
  const known = ladder.find((stake) => `${stake}` === kept);
  // One that is offered no more falls back, and the fallback to the highest that is.
  const minor = known ?? (ladder.includes(fallback) ? fallback : (ladder.at(-1) ?? fallback));
  return {
    ladder,
    minor,
    choose: (next) => {
      store.setItem(`MC_STAKE:${key}`, `${next}`);
      setKept(`${next}`);
    },
  };
}

/** A yes or no that is remembered on this device, such as quick spin. */
export function useKeptFlag(key: string): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(() => store.getItem(key) === "1");
  return [
    on,
    (next) => {
      store.setItem(key, next ? "1" : "0");
      setOn(next);
    },
  ];
}
