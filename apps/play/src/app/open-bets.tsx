import { type ComponentType, lazy, type ReactNode } from "react";
import { useSession } from "../shell/session.ts";

/** Of each game whose bets can be ended while the site is closed. A build may have no games. */
const EXITS = Object.entries(
  import.meta.glob<{ default: ComponentType }>("../games/*/exit.tsx"),
).map(([path, load]) => ({ path, Exit: lazy(load) }));

/** The open bets of a player while the site is closed. */
export default function OpenBets(): ReactNode {
  const loggedIn = useSession(({ session }) => session !== null);
  return loggedIn && EXITS.map(({ path, Exit }) => <Exit key={path} />);
}
