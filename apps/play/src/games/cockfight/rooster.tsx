import type { RefObject } from "react";

/** Plumage of a side, darkest to lightest, as light on the night: never a surface. */
const PLUMAGE = {
  meron: { tail: "#8e1f2f", body: "#d8433b", mane: "#ff9d3c", wing: "#a92c35" },
  wala: { tail: "#1d3f8f", body: "#3b74d8", mane: "#6fd3ff", wing: "#2a56ac" },
} as const;

const INK = "#1c1030";

/** The moving parts, from the whole to the head. */
export interface RoosterParts {
  readonly place: RefObject<SVGGElement | null>;
  readonly body: RefObject<SVGGElement | null>;
  readonly wing: RefObject<SVGGElement | null>;
  readonly head: RefObject<SVGGElement | null>;
}

/**
 * A stylised rooster in profile that stands on the origin and looks right, about 110 units high:
 * round shapes and no spurs, like a toy of the fair.
 */
export function Rooster({ side, parts }: { side: "meron" | "wala"; parts: RoosterParts }) {
  const { tail, body, mane, wing } = PLUMAGE[side];
  return (
    <g ref={parts.place}>
      <g ref={parts.body} stroke={INK} strokeWidth="2.5" strokeLinejoin="round">
        <path d="M-26-46C-74-62-84-104-58-116C-70-88-46-70-20-62Z" fill={tail} />
        <path d="M-24-52C-64-82-58-124-30-128C-46-100-30-80-12-66Z" fill={body} />
        <path d="M-20-56C-46-92-30-122-8-122C-24-98-14-82-4-68Z" fill={mane} />
        <path d="M-6-24V-4M12-24V-4" stroke="#f4b942" strokeWidth="5" strokeLinecap="round" />
        <path
          d="M-16 0C-10-6-2-6 6 0M2 0C8-6 18-6 26 0"
          fill="none"
          stroke="#f4b942"
          strokeWidth="5"
          strokeLinecap="round"
        />
        <path d="M-32-44C-34-68-8-78 14-74C36-70 40-48 30-34C18-16-26-16-32-44Z" fill={body} />
        <g ref={parts.wing}>
          <path d="M-20-56C2-70 20-58 18-46C10-30-14-30-34-36C-24-42-22-48-20-56Z" fill={wing} />
          <path d="M-26-40C-14-38-2-38 8-42" fill="none" stroke={mane} strokeWidth="3" />
        </g>
        <g ref={parts.head}>
          <path
            d="M6-40C0-66 10-94 32-94C46-94 52-80 46-70C40-58 40-46 36-36C26-28 12-30 6-40Z"
            fill={mane}
          />
          <path
            d="M20-92C12-104 20-112 26-104C28-116 40-114 40-104C48-112 56-102 48-90C40-98 30-98 20-92Z"
            fill="#f0364e"
          />
          <circle cx="36" cy="-80" r="16" fill={body} />
          <path d="M49-84L68-76L49-70Z" fill="#f4b942" />
          <path d="M44-68C54-66 54-52 46-48C38-52 38-64 44-68Z" fill="#f0364e" />
          <circle cx="41" cy="-83" r="4.5" fill="#fff8e6" strokeWidth="1.5" />
          <circle cx="42.5" cy="-83" r="2" fill={INK} stroke="none" />
        </g>
      </g>
    </g>
  );
}
