import { useMemo } from "react";
import { encode } from "uqr";
import styles from "./security.module.css";

/** Modules that scanners need free around a code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A QR code, dark on light in every theme, because not every scanner reads the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { border: QUIET_ZONE });
    return { size, path: pathOf(data) };
  }, [text]);
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} fill="currentColor" shapeRendering="crispEdges" />
    </svg>
  );
}

function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
}
