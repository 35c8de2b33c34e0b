import { EmptyState, type EmptyStateProps } from "@perya/ui/empty-state";

type Scene = "no-data" | "offline" | "error" | "maintenance";

/** A drawn scene for an empty state; decoration, so without a text of its own. */
export function EmptyArt({ scene }: { scene: Scene }) {
  return <img src={`/scenes/${scene}.svg`} alt="" width={240} height={160} />;
}

export function EmptyScene({ scene = "no-data", ...said }: EmptyStateProps & { scene?: Scene }) {
  return <EmptyState art={<EmptyArt scene={scene} />} {...said} />;
}
