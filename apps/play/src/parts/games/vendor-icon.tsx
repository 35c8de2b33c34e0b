import { Art } from "../pictures/art.tsx";
import { vendorIconFile } from "./vendors.ts";

/** Up to this side the small picture is sharp on any phone. */
const SMALL_PX = 28;

/** A vendor's mark; nothing where it has none or does not load (games §2.7). */
export function VendorIcon({ vassalage, size }: { vassalage: string; size: number }) {
  const file = vendorIconFile(vassalage, size <= SMALL_PX ? "SMALL" : "COLOR");
  if (file === null) return null;
  return (
    <Art
      src={`/art/vendor/${file}`}
      instead={null}
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
    />
  );
}
