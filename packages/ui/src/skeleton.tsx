import type { CSSProperties } from "react";
import { classNames } from "./class-names.tsx";
import styles from "./skeleton.module.css";

export interface SkeletonProps {
  /** CSS lengths; a skeleton has exactly the size of the content that it precedes. */
  width?: CSSProperties["width"];
  height?: CSSProperties["height"];
  radius?: CSSProperties["borderRadius"];
  className?: string | undefined;
}

export function Skeleton({ width, height, radius, className }: SkeletonProps) {
  const size: CSSProperties = {};
  if (width !== undefined) size.width = width;
  if (height !== undefined) size.height = height;
  if (radius !== undefined) size.borderRadius = radius;
  return <div className={classNames(styles.block, className)} style={size} aria-hidden="true" />;
}

/** Three tiles per row, like every game grid. */
export function TileGridSkeleton({ count = 9, label }: { count?: number; label: string }) {
  return (
    <div className={styles.tiles} role="status" aria-label={label}>
      {slots(count).map((slot) => (
        <Skeleton key={slot} className={styles.tile} />
      ))}
    </div>
  );
}

export function ListSkeleton({ count = 6, label }: { count?: number; label: string }) {
  return (
    <div className={styles.list} role="status" aria-label={label}>
      {slots(count).map((slot) => (
        <div key={slot} className={styles.row}>
          <Skeleton width={40} height={40} radius="50%" />
          <div className={styles.lines}>
            <Skeleton width="55%" height={14} />
            <Skeleton width="35%" height={12} />
          </div>
          <Skeleton width={72} height={16} />
        </div>
      ))}
    </div>
  );
}

function slots(count: number): readonly number[] {
  return Array.from({ length: count }, (_, slot) => slot);
}
