import { type Given, matching, present } from "../../shell/search-fields.ts";

export function readHelpSearch({ tag }: Given): { tag?: string } {
  return present({ tag: matching(/^[a-z0-9-]{1,40}$/, tag) });
}
