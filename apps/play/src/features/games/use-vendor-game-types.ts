import { useQuery } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import type { VendorGameTypes } from "./vendor-offer.ts";

/** The brand's game types of a vendor; undefined for no vendor, and while unknown. */
export function useVendorGameTypes(vassalage: string | undefined): VendorGameTypes | undefined {
  const { data: status } = useQuery(queries.status());
  const { data } = useQuery({
    ...screenQueries.vendorGameTypes(vassalage ?? ""),
    enabled: vassalage !== undefined && status !== undefined,
  });
  return data;
}
