import type { HouseGameId } from "@perya/games/house-games";
import { type ComponentType, lazy, Suspense } from "react";
import { ScreenLoading } from "../parts/page/screen-states.tsx";

type Client = { readonly default: ComponentType };

/** The client of each game, in the folder named after the game's id; loads with its first visit. */
const CLIENTS = new Map(
  Object.entries(import.meta.glob<Client>("./*/client.tsx")).map(([path, load]) => [
    path.split("/")[1],
    lazy(load),
  ]),
);

export default function GameScreen({ game }: { game: HouseGameId }) {
  const Client = CLIENTS.get(game);
  if (Client === undefined) throw new Error(`${game} has no client`);
  return (
    <Suspense fallback={<ScreenLoading />}>
      <Client />
    </Suspense>
  );
}
