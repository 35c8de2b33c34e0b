import type { Reply } from "@perya/client/api";

type Prize = Reply<"GET /api/v1/lottery/winners">["list"][number];

/** The board is sorted by `vo.winAmount`, whatever the order of the reply. */
export function fromHighToLow(list: readonly Prize[]): Prize[] {
  return [...list].sort((a, b) => Number(b.vo.winAmount.minor - a.vo.winAmount.minor));
}
