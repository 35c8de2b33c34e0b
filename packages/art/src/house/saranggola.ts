import type { Subject } from "../subject.ts";
import { kite } from "../subjects-sky.ts";

const saranggola: Subject = (b) => kite(b, "red", "gold", "blue", "green");

export default saranggola;
