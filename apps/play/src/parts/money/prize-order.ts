import type { Reply } from "@perya/client/api";

type Prize = Reply<"GET /api/v1/lottery/winners">["list"][number];

/** The board is sorted by `vo.winAmount`, whatever the order of the reply. */
export function fromHighToLow(list: readonly Prize[]): Prize[] {
  const amount = ({ vo }: Prize) => BigInt(vo.winAmount.minor);
  return [...list].sort((a, b) => (amount(a) < amount(b) ? 1 : amount(a) > amount(b) ? -1 : 0));
}
