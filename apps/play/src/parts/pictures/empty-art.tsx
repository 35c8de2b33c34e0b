/** A drawn scene for an empty state; decoration, so without a text of its own. */
export function EmptyArt({ scene }: { scene: "no-data" | "offline" | "error" | "maintenance" }) {
  return <img src={`/scenes/${scene}.svg`} alt="" width={240} height={160} />;
}
