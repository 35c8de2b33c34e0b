import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { pickHost } from "./image-host.ts";

/** One host per visit, so that the browser's cache finds its pictures again. */
const CHANCE = Math.random();

export function useImageHost(): string {
  const { data: status } = useQuery(queries.status());
  return pickHost(status?.info.imageCDNs ?? [], CHANCE);
}
