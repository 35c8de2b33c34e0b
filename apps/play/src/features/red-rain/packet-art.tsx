/** A red packet of our own: a parol's star for a seal; open, with its flap up and gold within. */
export function PacketArt({ open = false }: { open?: boolean }) {
  return (
    <svg viewBox="0 0 64 88" aria-hidden="true" focusable="false">
      {open && (
        <>
          <path d="M6 26 32 2l26 24z" fill="#a3161f" />
          <rect x="12" y="12" width="40" height="40" rx="4" fill="#ffe39a" />
          <rect x="16" y="16" width="32" height="32" rx="3" fill="none" stroke="#c98b12" />
        </>
      )}
      <rect x="4" y="24" width="56" height="62" rx="7" fill="#c81e2b" />
      {!open && <rect x="4" y="2" width="56" height="84" rx="7" fill="#d3232f" />}
      <path
        d={open ? "M4 34v-5q28 26 56 0v5Q32 60 4 34z" : "M4 9q0-7 7-7h42q7 0 7 7v20Q32 55 4 29z"}
        fill={open ? "#8f121a" : "#b01722"}
      />
      <path
        d={open ? "M5 35q27 25 54 0" : "M5 30q27 25 54 0"}
        fill="none"
        stroke="#f4c542"
        strokeWidth="2"
      />
      <rect
        x="4.75"
        y={open ? 24.75 : 2.75}
        width="54.5"
        height={open ? 60.5 : 82.5}
        rx="6.5"
        fill="none"
        stroke="#fff"
        strokeOpacity=".18"
        strokeWidth="1.5"
      />
      <circle cx="32" cy={open ? 50 : 44} r="12" fill="#f4c542" />
      <path d={open ? STAR_LOW : STAR} fill="#b01722" />
      <path d="M20 76l3-3 3 3-3 3zM29 76l3-3 3 3-3 3zM38 76l3-3 3 3-3 3z" fill="#f4c542" />
    </svg>
  );
}

const STAR = star(32, 44);
const STAR_LOW = star(32, 50);

/** Five rays, nine wide. */
function star(x: number, y: number): string {
  const points = Array.from({ length: 10 }, (_, i) => {
    const [angle, radius] = [(Math.PI * (i * 36 - 90)) / 180, i % 2 === 0 ? 9 : 3.8];
    return `${round(x + radius * Math.cos(angle))} ${round(y + radius * Math.sin(angle))}`;
  });
  return `M${points.join("L")}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
