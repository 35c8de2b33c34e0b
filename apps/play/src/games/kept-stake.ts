import { useState } from "react";
import { deviceStore } from "./kept-text.ts";

const store = deviceStore();

/** The last stake of a game on this device; one that is offered no more falls back. */
export function useKeptStake(
  key: string,
  ladder: readonly bigint[],
  fallback: bigint,
): [bigint, (minor: bigint) => void] {
  const [minor, setMinor] = useState(() => {
    const kept = store.getItem(`MC_STAKE:${key}`);
    return ladder.find((stake) => `${stake}` === kept) ?? fallback;
  });
  return [
    minor,
    (next) => {
      store.setItem(`MC_STAKE:${key}`, `${next}`);
      setMinor(next);
    },
  ];
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
