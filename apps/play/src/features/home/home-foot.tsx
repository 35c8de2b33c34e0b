import type { VendorGroup } from "../../parts/games/vendors.ts";
import { HomeFooter } from "./home-footer.tsx";
import { LatestWinners } from "./latest-winners.tsx";

/** The end of home: the latest winners, and the long footer. */
export default function HomeFoot({ categories }: { categories: readonly VendorGroup[] }) {
  return (
    <>
      <LatestWinners />
      <HomeFooter categories={categories} />
    </>
  );
}
