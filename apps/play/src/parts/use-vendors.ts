import { useQuery } from "@tanstack/react-query";
import { queries } from "../shell/server.ts";
import { useSettledLanguage } from "./use-debounced.ts";

/** The brand's vendors, loaded anew when the language has changed. */
export function useVendors() {
  return useQuery(queries.vendors(useSettledLanguage()));
}
