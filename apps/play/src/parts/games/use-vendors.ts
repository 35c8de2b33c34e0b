import { pageOfType } from "@perya/contract/game-lists";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { useShows } from "../../shell/use-shows.ts";
import { useSettledLanguage } from "../browser/use-debounced.ts";
import { openCategories } from "./vendors.ts";

/**
 * The brand's vendors, loaded again when the language has changed. The data of the last visit may
 * name a category that is closed by now.
 */
export function useVendors() {
  const shows = useShows();
  return useQuery({
    ...queries.vendors(useSettledLanguage()),
    select: ({ content, ...reply }) => ({
      ...reply,
      content: openCategories(content, (type) => shows(pageOfType(type))),
    }),
  });
}
