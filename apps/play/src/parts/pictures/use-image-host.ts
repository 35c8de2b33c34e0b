import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { pickHost } from "./image-host.ts";

/** One host a visit, so that what it sent is found in the browser's cache again. */
const CHANCE = Math.random();

export function useImageHost(): string {
  const { data: status } = useQuery(queries.status());
  return pickHost(status?.info.imageCDNs ?? [], CHANCE);
}
