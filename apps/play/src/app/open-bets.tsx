import { type ComponentType, lazy, type ReactNode } from "react";
import { useSession } from "../shell/session.ts";

/** The game clients are a door of their own; a build without them has none. */
const [load] = Object.values(
  import.meta.glob<{ default: ComponentType }>("../games/saranggola/kite-exit.tsx"),
);
const KiteExit = load === undefined ? null : lazy(load);

/** What a player of a closed site still has in the air. */
export default function OpenBets(): ReactNode {
  const loggedIn = useSession(({ session }) => session !== null);
  return loggedIn && KiteExit !== null && <KiteExit />;
}
