const FLAGS = 14;
const COLOURS = ["#e2483d", "#f4c542", "#3f7de8", "#2f9e5b", "#d53f8c"] as const;

export function Bunting({ className }: { className?: string | undefined }) {
  const flags = Array.from({ length: FLAGS }, (_, i) => {
    const x = ((i + 0.5) * 360) / FLAGS;
    const y = sag(x);
    return {
      x,
      points: `${x - 9},${y} ${x + 9},${y} ${x},${y + 19}`,
      fill: COLOURS[i % COLOURS.length],
    };
  });
  return (
    <svg
      className={className}
      viewBox="0 0 360 46"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M0 4Q180 40 360 4" fill="none" stroke="#fff" strokeOpacity=".35" />
      {flags.map((flag) => (
        <polygon key={flag.x} points={flag.points} fill={flag.fill} />
      ))}
    </svg>
  );
}

/** The string's height at x: the same curve that the path draws. */
function sag(x: number): number {
  const share = x / 360;
  return 4 + 72 * share * (1 - share);
}
