import type { Colour } from "@perya/games/color-game";
import type { MessageId } from "../../shell/text.ts";

interface ColourDisplay {
  readonly name: MessageId;
  readonly fill: string;
  readonly ink: string;
  /** A mark for each colour, in a 24 × 24 box: hue alone is not enough for many players. */
  readonly mark: string;
}

export const COLOUR_DISPLAY: Readonly<Record<Colour, ColourDisplay>> = {
  yellow: {
    name: "games.colour_yellow",
    fill: "#f5c22e",
    ink: "#5a3d00",
    mark: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM3.5 4.9l1.4-1.4 2.8 2.8-1.4 1.4zM16.3 17.7l1.4-1.4 2.8 2.8-1.4 1.4zM19.1 3.5l1.4 1.4-2.8 2.8-1.4-1.4zM6.3 16.3l1.4 1.4-2.8 2.8-1.4-1.4z",
  },
  white: {
    name: "games.colour_white",
    fill: "#f4f1ea",
    ink: "#4a4458",
    mark: "M15.5 2a10 10 0 1 0 6.5 13.5A8.5 8.5 0 0 1 15.5 2z",
  },
  pink: {
    name: "games.colour_pink",
    fill: "#ef6fb0",
    ink: "#5c0a3a",
    mark: "M12 21C5 15.5 2 12 2 8.2A5.2 5.2 0 0 1 12 6a5.2 5.2 0 0 1 10 2.2C22 12 19 15.5 12 21z",
  },
  blue: {
    name: "games.colour_blue",
    fill: "#2f6fe4",
    ink: "#e8f1ff",
    mark: "M12 2c4 5.2 7 8.8 7 12.6a7 7 0 0 1-14 0C5 10.800 8 7.200 12 2z",
  },
  red: {
    name: "games.colour_red",
    fill: "#d8322f",
    ink: "#ffece6",
    mark: "M12 1.500l3 7.100 7.700.6-5.900 5 1.900 7.500L12 17.600l-6.700 4.100 1.900-7.500-5.900-5 7.700-.6z",
  },
  green: {
    name: "games.colour_green",
    fill: "#27994f",
    ink: "#eafff0",
    mark: "M21 3C9 2.500 3 8 3 15c0 1.800.5 3.500 1 5l1.500-.8C7 14 10.500 10.500 15 9c-3.500 2.500-6.500 6-7.500 10.500C17 21 22 14 21 3z",
  },
};

export function ColourMark({ colour, size = 24 }: { colour: Colour; size?: number }) {
  const { ink, mark } = COLOUR_DISPLAY[colour];
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={mark} fill={ink} />
    </svg>
  );
}
