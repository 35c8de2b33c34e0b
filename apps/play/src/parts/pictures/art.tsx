import { type ComponentProps, useState } from "react";
import { useImageHost } from "./use-image-host.ts";

/** The picture of a game whose own does not load (games §3). */
export const DEFAULT_TILE = "/art/tile/default.svg";

export interface ArtProps extends Omit<ComponentProps<"img">, "src" | "onError"> {
  /** Our own pictures, which begin with a slash, come from the image host of this visit. */
  readonly src: string;
  /** Shown where it does not load: by default the same from the page's own host; null: nothing. */
  readonly instead?: string | null;
}

/** A picture that the product serves; a decoration by default. */
export function Art({ src, instead = src, ...more }: ArtProps) {
  const host = useImageHost();
  const from = src.startsWith("/") ? host + src : src;
  const [failed, setFailed] = useState("");
  const shown = failed === from ? instead : from;
  if (shown === null) return null;
  return <img alt="" {...more} src={shown} onError={() => setFailed(from)} />;
}
