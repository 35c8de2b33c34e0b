import type { Brush } from "./brush.ts";

/** Draws one big thing around 0,0, within a radius of about 92; `inked` adds the outlines. */
export type Subject = (brush: Brush) => string;
