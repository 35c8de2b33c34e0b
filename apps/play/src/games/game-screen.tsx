import type { HouseGame } from "@perya/contract/catalogue";
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useState } from "react";
import { ScreenLoading } from "../shell/screen-states.tsx";
import { useSession } from "../shell/session.ts";

const CLIENTS: Readonly<Record<HouseGame, LazyExoticComponent<ComponentType>>> = {
  "parol-fortune": lazy(() => import("./parol/parol-client.tsx")),
  "color-game": lazy(() => import("./color/color-client.tsx")),
  saranggola: lazy(() => import("./kite/kite-client.tsx")),
  cockfight: lazy(() => import("./cockfight/cockfight-client.tsx")),
};

/** The door to the game clients: each comes with its first visit. */
export default function GameScreen({ game }: { game: HouseGame }) {
  const userName = useSession((held) => held.session?.userName ?? null);
  // A session that lapsed leaves the table as it is; another player gets a table of their own.
  const [player, setPlayer] = useState(userName);
  if (userName !== null && userName !== player) setPlayer(userName);
  const Client = CLIENTS[game];
  return (
    <Suspense fallback={<ScreenLoading />}>
      <Client key={player} />
    </Suspense>
  );
}
