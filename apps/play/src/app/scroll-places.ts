import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/**
 * Every page change starts at the top, except the way back, which restores the page's scroll
 * position. A popup or a filter is no page change.
 * @param page changes with the page
 */
export function useScrollPlaces(page: string): void {
  const router = useRouter();
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? "" });
  const places = useRef(new Map<string, number>());
  const last = useRef(page);

  useEffect(() => {
    const kept = places.current;
    const leaving = router.subscribe("onBeforeNavigate", ({ fromLocation }) => {
      const left = fromLocation?.state.__TSR_key;
      if (left === undefined) return;
      kept.set(left, scrollY);
    });
    // Only now does the page have its height again.
    const arrived = router.subscribe("onRendered", ({ toLocation, pathChanged }) => {
      const place = kept.get(toLocation.state.__TSR_key ?? "");
      if (pathChanged && place !== undefined) scrollTo({ top: place, behavior: "instant" });
    });
    return () => {
      leaving();
      arrived();
    };
  }, [router]);

  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    scrollTo({ top: places.current.get(entry) ?? 0, behavior: "instant" });
  }, [page, entry]);
}
