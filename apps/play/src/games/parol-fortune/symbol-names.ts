import type { ParolSymbol } from "@perya/games/parol-reels";
import type { MessageId } from "../../shell/text.ts";

export const SYMBOL_NAMES: Readonly<Record<ParolSymbol, MessageId>> = {
  jeepney: "games.symbol_jeepney",
  carabao: "games.symbol_carabao",
  mango: "games.symbol_mango",
  sampaguita: "games.symbol_sampaguita",
  bibingka: "games.symbol_bibingka",
  a: "games.symbol_a",
  k: "games.symbol_k",
  q: "games.symbol_q",
  j: "games.symbol_j",
  wild: "games.symbol_wild",
  scatter: "games.symbol_scatter",
};
