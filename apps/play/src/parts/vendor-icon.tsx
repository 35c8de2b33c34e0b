import { useState } from "react";
import { useImageHost } from "./use-image-host.ts";
import { vendorIconFile } from "./vendors.ts";

/** A vendor's mark; nothing where it has none or where it does not load (games §2.7). */
export function VendorIcon({ vassalage, size }: { vassalage: string; size: number }) {
  const host = useImageHost();
  const file = vendorIconFile(vassalage);
  const [failed, setFailed] = useState<string | null>(null);
  if (file === null || failed === file) return null;
  return (
    <img
      src={`${host}/art/vendor/${file}`}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(file)}
    />
  );
}
