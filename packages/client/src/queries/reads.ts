import type { AnyCallKey } from "@perya/contract/calls";
import { type QueryKey, queryOptions } from "@tanstack/react-query";
import type { Api, CallOptions, Given, Reply } from "../api.ts";

export type ReadKey = Extract<AnyCallKey, `GET ${string}`>;
type Parts<K extends ReadKey> = Omit<CallOptions<K>, "signal" | "keepalive">;
type GivenParts<K extends ReadKey> =
  Record<never, never> extends Parts<K> ? [parts?: Parts<K>] : [parts: Parts<K>];

/** The options of a query that makes one call; `staleTime` is the page's usual one by default. */
export function readsOf(api: Api) {
  return <K extends ReadKey, Key extends QueryKey>(
    key: K,
    queryKey: Key,
    staleTime?: number,
    ...[parts]: GivenParts<K>
  ) =>
    queryOptions({
      queryKey,
      queryFn: ({ signal }) => ask(api, key, { ...parts, signal }),
      ...goodFor(staleTime),
    });
}

export function ask<K extends ReadKey>({ call }: Api, key: K, parts: object): Promise<Reply<K>> {
  // The parts are the call's own; while K is open the compiler cannot know it.
  return call(key, ...([parts] as unknown as Given<K>));
}

export function goodFor(staleTime: number | undefined) {
  return staleTime === undefined ? {} : { staleTime };
}
