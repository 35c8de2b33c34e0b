import { type ComponentType, lazy, type ReactNode } from "react";
import { useSession } from "../shell/session.ts";

/** The game clients load from here; a build without them has none. */
const [load] = Object.values(
  import.meta.glob<{ default: ComponentType }>("../games/saranggola/flight-exit.tsx"),
);
const FlightExit = load === undefined ? null : lazy(load);

/** The open bets of a player while the site is closed. */
export default function OpenBets(): ReactNode {
  const loggedIn = useSession(({ session }) => session !== null);
  return loggedIn && FlightExit !== null && <FlightExit />;
}
