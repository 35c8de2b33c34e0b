import { type RefObject, useEffect, useRef, useState } from "react";

/** True once the element is within a screen's height of the visible part. */
export function useNearSight<E extends Element>(): [RefObject<E | null>, boolean] {
  const place = useRef<E>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || place.current === null) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: "60% 0px" },
    );
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [near]);
  return [place, near];
}
