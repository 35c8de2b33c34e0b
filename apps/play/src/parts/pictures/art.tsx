import { type ComponentProps, useState } from "react";
import { useImageHost } from "./use-image-host.ts";

/** The picture of a game whose own does not come (games §3). */
export const DEFAULT_TILE = "/art/tile/default.svg";

export interface ArtProps extends Omit<ComponentProps<"img">, "src" | "onError"> {
  /** One of ours, from a slash on, comes from the image host of this visit. */
  readonly src: string;
  /** What shows where it does not come: the same from the page's own host, unless told; null: nothing. */
  readonly instead?: string | null;
}

/** A picture that the product serves; a decoration unless told. */
export function Art({ src, instead = src, ...more }: ArtProps) {
  const host = useImageHost();
  const from = src.startsWith("/") ? host + src : src;
  const [failed, setFailed] = useState("");
  const shown = failed === from ? instead : from;
  if (shown === null) return null;
  return <img alt="" {...more} src={shown} onError={() => setFailed(from)} />;
}
