import { cashierBooks } from "./modules/cashier/cashier.ts";
import { cockfightBook } from "./modules/cockfight/cockfight.ts";
import type { BookCheck } from "./modules/ledger/ledger.ts";
import { lotteryBook } from "./modules/lottery/lottery.ts";
import { redRainBooks } from "./modules/red-rain/red-rain.ts";
import { soloBook } from "./modules/rounds/rounds.ts";
import { saranggolaBook } from "./modules/saranggola/saranggola.ts";
import { sportsBook } from "./modules/sports/sports.ts";
import { vendorBooks } from "./modules/vendors/vendors.ts";

export const BOOKS: readonly BookCheck[] = [
  ...vendorBooks,
  soloBook,
  saranggolaBook,
  lotteryBook,
  sportsBook,
  cockfightBook,
  ...redRainBooks,
  ...cashierBooks,
];
