import { salpukan } from "../subjects-arena.ts";

/** @public found by its file (`house-art.ts`) */
export default salpukan;
