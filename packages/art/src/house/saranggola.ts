import type { Subject } from "../subject.ts";
import { kite } from "../subjects-sky.ts";

/** A kite of four papers climbing over the clouds, its tail full of ribbons. */
const saranggola: Subject = (b) => kite(b, "red", "gold", "blue", "green");

export default saranggola;
