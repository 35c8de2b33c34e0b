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
/** The beginnings of names, as players type them. */
const BEGINNINGS = demoGames().flatMap(({ name }) => [1, 2, 3, 4].map((end) => name.slice(0, end)));

/** Pages and searches on growing catalogues; with one caller, so the times are the server's own. */
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
    await insertGames(pool, merchant.id, manyGames(size));
    await pool.query("VACUUM ANALYZE games");
    const page = await measure(pool, merchant, [""]);
    const search = await measure(pool, merchant, TYPOS);
    const typed = await measure(pool, merchant, BEGINNINGS);
    rows.push({
      what: `${size.toLocaleString("en-US")} games`,
      figures: {
        "page p50 ms": page.p50Ms.toFixed(2),
        "page p99 ms": page.p99Ms.toFixed(2),
        "search p50 ms": search.p50Ms.toFixed(2),
        "search p99 ms": search.p99Ms.toFixed(2),
        "typed p50 ms": typed.p50Ms.toFixed(2),
        "typed p99 ms": typed.p99Ms.toFixed(2),
      },
    });
  }
  await pool.end();
  return {
    title:
      "Catalogue: a page anywhere in the list, a misspelt search, a search of one to four letters",
    rows,
    note: "Aim at 100,000 games: page 5 ms, search 20 ms p99.",
  };
}

function measure(pool: ReturnType<typeof createPool>, merchant: Merchant, names: string[]) {
  const catalogue = new Catalogue(pool, systemClock);
  let turn = 0;
  return hammer(1, DURATION_MS, async () => {
    turn += 1;
    const name = names[turn % names.length] ?? "";
    const filter = {
      name,
      gameType: null,
      vendor: "",
      classify: "",
      isNew: null,
      maxMinBetMinor: null,
    };
    // A search is never answered from memory; a list always is.
    if (name !== "") catalogue.forget();
    await catalogue.page(merchant, filter, name === "" ? 1 + (turn % 25) : 1, 35);
  });
}

/** The demo's games repeated, each with a number and a name of its own. */
export function manyGames(size: number, firstNode = 1) {
  const demo = demoGames();
  return Array.from({ length: size }, (_, i) => {
    const like = demo[i % demo.length];
    if (like === undefined) throw new Error("the demo has games");
    const copy = Math.floor(i / demo.length);
    const name = copy === 0 ? like.name : `${like.name} ${copy + 1}`;
    return { ...like, nodeId: firstNode + i, gameId: `bench-${i}`, name, sort: i };
  });
}
