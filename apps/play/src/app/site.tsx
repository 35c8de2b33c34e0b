import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { queries } from "../shell/server.ts";
import { Frame } from "./frame.tsx";
import { systemStatus } from "./system-status.ts";

const ClosedSite = lazy(() => import("./closed-site.tsx"));
/** The first screen comes first; its status is no older than this. */
const LISTEN_AFTER_MS = 1_500;

/** The whole site, or the reason why it is closed: then no screen and no address gets past this. */
export function Site() {
  const { data } = useQuery(queries.status());
  useSiteLine();
  const status = data === undefined ? 0 : systemStatus(data);
  if (status === 0) return <Frame />;
  return (
    <Suspense>
      <ClosedSite status={status} address={data?.location.ip ?? ""} />
    </Suspense>
  );
}

/** Closes an open page, and opens a closed one, as soon as the server says so. */
function useSiteLine(): void {
  useEffect(() => {
    let leave = () => clearTimeout(listening);
    const listening = setTimeout(() => {
      let left = false;
      leave = () => {
        left = true;
      };
      // Without its code the page learns of it by its next call.
      const followed = import("./site-line.ts").then(({ followSite }) => {
        if (!left) leave = followSite();
      });
      followed.catch(() => undefined);
    }, LISTEN_AFTER_MS);
    return () => leave();
  }, []);
}
