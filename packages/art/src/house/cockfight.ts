import { salpukan } from "../subjects-arena.ts";

export default salpukan;
