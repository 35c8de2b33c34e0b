import { useOptimistic, useTransition } from "react";
import { painted } from "./painted.tsx";

/**
 * The value that a choice shows, and the action of a tap: the tapped value is on the screen before
 * its consequences are computed, so that a slow phone answers a finger at once. It stays until
 * `onValueChange` and its promise have finished.
 */
export function useChoice<V>(
  value: V,
  onValueChange: (value: V) => unknown,
): readonly [shown: V, pick: (value: V) => void] {
  const [shown, show] = useOptimistic(value);
  const [, start] = useTransition();
  const pick = (picked: V) =>
    start(async () => {
      show(picked);
      await painted();
      await onValueChange(picked);
    });
  return [shown, pick];
}
