import { readStorage, writeStorage } from "@perya/client/browser-storage";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { awaitLoginPopups } from "../../parts/notices/login-popups.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { KINDS } from "./contract-kinds.ts";

const PROMPTED_KEY = "MC_CONTRACTS_PROMPTED";

/**
 * Asks an agent on home about each kind of contract that waits, one after the other: after the
 * log-in's pop-ups, never over another popup, and once per kind, tab and player.
 */
export default function ContractPrompts() {
  const { language } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const userName = useSession(({ session }) => session?.userName);
  const { data: status } = useQuery(queries.status());
  // Contracts offered meanwhile are asked about on the next visit of home.
  const { data: info } = useQuery({ ...screenQueries.contractInfo(), refetchOnMount: "always" });
  const { data: news, isPending } = useQuery(queries.loginPopups(language));
  const zone = status?.info.zone;
  const some = news !== undefined && news.list.length > 0;
  useEffect(() => {
    if (userName === undefined || zone === undefined || info === undefined) return;
    if (popup !== null || isPending) return;
    if (some && awaitLoginPopups(userName, api.serverNow(), zone)) return;
    const before = prompted(userName);
    const next = KINDS.find(
      ({ kind, requirement }) => info[requirement] !== "" && !before.includes(kind),
    );
    if (next === undefined || !keepPrompted(userName, [...before, next.kind])) return;
    popups.open("contract", { id: next.kind });
  }, [userName, zone, info, popup, isPending, some, popups]);
  return null;
}

/** The kinds that this player was asked about in this tab. */
function prompted(userName: string): string[] {
  const [name, ...kinds] = (readStorage("sessionStorage", PROMPTED_KEY) ?? "").split(" ");
  return name === userName ? kinds : [];
}

/** False where storage is refused: each visit of home would ask again. */
function keepPrompted(userName: string, kinds: readonly string[]): boolean {
  // Usernames have no spaces.
  return writeStorage("sessionStorage", PROMPTED_KEY, [userName, ...kinds].join(" "));
}
