import type { HouseGame } from "@perya/contract/catalogue";
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from "react";
import { ScreenLoading } from "../parts/page/screen-states.tsx";

const CLIENTS: Readonly<Record<HouseGame, LazyExoticComponent<ComponentType>>> = {
  "parol-fortune": lazy(() => import("./parol/parol-client.tsx")),
  "color-game": lazy(() => import("./color/color-client.tsx")),
  saranggola: lazy(() => import("./kite/kite-client.tsx")),
  cockfight: lazy(() => import("./cockfight/cockfight-client.tsx")),
};

/** The door to the game clients: each comes with its first visit. */
export default function GameScreen({ game }: { game: HouseGame }) {
  const Client = CLIENTS[game];
  return (
    <Suspense fallback={<ScreenLoading />}>
      <Client />
    </Suspense>
  );
}
