import type pg from "pg";
import { expect } from "vitest";
import { BOOKS } from "../../apps/server/src/books.ts";
import { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";

/** Every account equals its entries, and every module's books agree with them. */
export async function expectSound(db: { readonly url: string; readonly pool: pg.Pool }) {
  const { url: databaseUrl, pool } = db;
  const alone = { writers: 0, books: BOOKS, onTrouble: () => undefined };
  const ledger = new Ledger({ databaseUrl, pool, ...alone });
  expect(await ledger.verify()).toEqual([]);
  await ledger.close();
}
