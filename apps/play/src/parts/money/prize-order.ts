import type { Reply } from "@perya/client/api";

type Prize = Reply<"GET /api/v1/lottery/winners">["list"][number];

/** The board is shown by `vo.winAmount`, whatever the order in which it came. */
export function fromHighToLow(list: readonly Prize[]): Prize[] {
  const amount = ({ vo }: Prize) => BigInt(vo.winAmount.minor);
  return [...list].sort((a, b) => (amount(a) < amount(b) ? 1 : amount(a) > amount(b) ? -1 : 0));
}
