import { demoBrand } from "../apps/server/src/demo/demo-brand.ts";
import { demoGames, demoVendors } from "../apps/server/src/demo/demo-catalogue.ts";
import { createBrands, type Merchant } from "../apps/server/src/modules/brand/brand.ts";
import {
  Catalogue,
  insertGames,
  insertVendors,
} from "../apps/server/src/modules/catalogue/catalogue.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { createLogger } from "../apps/server/src/platform/log.ts";
import { createPool } from "../apps/server/src/platform/postgres/pool.ts";
import { hammer, type Table } from "./measure.ts";

const SIZES = [1_000, 10_000, 100_000];
const DURATION_MS = 3_000;
const TYPOS = ["parol fotune", "jepney riches", "bangos", "sampagita", "mangga blast", "tarsir"];

/** Pages and searches at growing catalogues; one caller, so the times are the server's own. */
export async function benchCatalogue(databaseUrl: string): Promise<Table> {
  const pool = createPool(databaseUrl, { max: 4, log: createLogger({ level: "error" }) });
  const brands = createBrands(pool, systemClock);
  const rows = [];
  for (const size of SIZES) {
    const merchant = await brands.add(pool, {
      ...demoBrand,
      id: `mer_bench${size}`,
      code: `bench${size}`,
      hosts: [`bench${size}.test`],
    });
    await insertVendors(pool, merchant.id, demoVendors);
    await insertGames(pool, merchant.id, games(size));
    await pool.query("VACUUM ANALYZE games");
    const page = await measure(pool, merchant, "");
    const search = await measure(pool, merchant, "search");
    rows.push({
      what: `${size.toLocaleString("en-US")} games`,
      figures: {
        "page p50 ms": page.p50Ms.toFixed(2),
        "page p99 ms": page.p99Ms.toFixed(2),
        "search p50 ms": search.p50Ms.toFixed(2),
        "search p99 ms": search.p99Ms.toFixed(2),
      },
    });
  }
  await pool.end();
  return {
    title: "Catalogue: a page anywhere in the list, a misspelt search",
    rows,
    note: "Aim at 100,000 games: page 5 ms, search 20 ms p99.",
  };
}

/** Every search is a fresh text, so that none is answered from memory. */
function measure(pool: ReturnType<typeof createPool>, merchant: Merchant, what: string) {
  const catalogue = new Catalogue(pool, systemClock);
  let turn = 0;
  return hammer(1, DURATION_MS, async () => {
    turn += 1;
    const typo = TYPOS[turn % TYPOS.length] ?? "";
    const filter = {
      name: what === "" ? "" : `${typo} ${"abcdefghij"[turn % 10]}${turn % 97}`,
      gameType: null,
      vendor: "",
      classify: "",
      isNew: null,
      maxMinBetMinor: null,
    };
    await catalogue.page(merchant, filter, what === "" ? 1 + (turn % 25) : 1, 35);
  });
}

function games(size: number) {
  const demo = demoGames();
  return Array.from({ length: size }, (_, i) => {
    const like = demo[i % demo.length];
    if (like === undefined) throw new Error("the demo has games");
    const copy = Math.floor(i / demo.length);
    const name = copy === 0 ? like.name : `${like.name} ${copy + 1}`;
    return { ...like, nodeId: i + 1, gameId: `bench-${i}`, name, sort: i };
  });
}
