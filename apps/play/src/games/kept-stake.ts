import { deviceStore } from "@perya/client/browser-storage";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../shell/server.ts";
import { type Ladder, within } from "./stake-ladder.ts";

const store = deviceStore();

/** The brand's most per round, in minor units; no limit until it is known. */
export function useStakeMax(): bigint | null {
  const { data: status } = useQuery(queries.status());
  // A status that an older version of the app stored may lack it.
  const minor = status?.info.stakeMaxMinor;
  return minor === undefined ? null : BigInt(minor);
}

export type KeptStake = ReturnType<typeof useKeptStake>;

/** A game's stakes under the brand's limit, and the last stake chosen on this device. */
export function useKeptStake(key: string, all: Ladder, fallback: bigint) {
  const max = useStakeMax();
  const ladder = max === null ? all : within(all, max);
  const [kept, setKept] = useState(() => store.getItem(`MC_STAKE:${key}`));
  const known = ladder.find((stake) => `${stake}` === kept);
  // A stake no longer offered falls back to the default, and the default to the highest offered.
  const minor = known ?? (ladder.includes(fallback) ? fallback : (ladder.at(-1) ?? fallback));
  return {
    ladder,
    minor,
    choose: (next: bigint) => {
      store.setItem(`MC_STAKE:${key}`, `${next}`);
      setKept(`${next}`);
    },
  };
}

/** A flag stored on this device, such as quick spin. */
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
