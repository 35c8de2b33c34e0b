import { HOUSE_VENDOR, isLotteryVendor, isSportsVendor } from "@perya/contract/launch-terms";
import { expect, it } from "vitest";
import { demoGames, demoVendors, SIMULATED_VENDORS } from "./demo-catalogue.ts";

/** The dealer of each vendor in the demo. */
const DEALERS: Readonly<Record<string, readonly string[]>> = {
  house: ["BGS"],
  lotteries: ["LOTT", "ELOTT", "TCG_LOTTO_VN", "TCG_SEA"],
  sports: ["IA"],
  simulator: ["AV", "AI", "IMES", "TF", "PGE", "SV3", "DS88", "DIG", "WGB"],
};

function dealerOf(code: string): string | undefined {
  if (code === HOUSE_VENDOR) return "house";
  if (isLotteryVendor(code)) return "lotteries";
  if (isSportsVendor(code)) return "sports";
  return SIMULATED_VENDORS.includes(code) ? "simulator" : undefined;
}

it.each(Object.entries(DEALERS).flatMap(([dealer, codes]) => codes.map((code) => [code, dealer])))(
  "[G1-03] the vendor %s is up in the demo, has games under our name for it, dealt by the %s",
  (code, dealer) => {
    const own = demoVendors.filter((one) => one.code === code);
    expect(own.map(({ status }) => status)).toEqual(own.map(() => "up"));
    expect(own.length).toBeGreaterThan(0);
    expect(dealerOf(code)).toBe(dealer);
    const games = demoGames().filter(({ vendor }) => vendor === code);
    expect(games.length).toBeGreaterThan(0);
    const names = own.map(({ displayName }) => displayName);
    for (const { vendorName } of games) expect(names).toContain(vendorName);
  },
);
