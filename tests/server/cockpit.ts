import type { CockfightPools } from "@perya/contract/cockfight";
import type { Refusal } from "@perya/contract/refusal";
import type { OnWire } from "@perya/contract/wire";
import { type CockfightSide, fightOf } from "@perya/games/cockfight";
import { seedHash } from "@perya/games/fairness";
import { present } from "@perya/kernel/assert";
import { expect, vi } from "vitest";
import { createBrands } from "../../apps/server/src/modules/brand/brand.ts";
import {
  currentMatch,
  findMatch,
  type MatchRow,
} from "../../apps/server/src/modules/cockfight/cockfight.store.ts";
import { BETTING_MS, Cockfight } from "../../apps/server/src/modules/cockfight/cockfight.ts";
import { CockfightView } from "../../apps/server/src/modules/cockfight/cockfight-view.ts";
import type { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { localBus } from "../../apps/server/src/platform/bus.ts";
import type { Versioned } from "../../apps/server/src/platform/sockets/live.ts";
import { makeBrand } from "./fixtures.ts";
import { openGameWorld } from "./game-world.ts";

/** A cockpit in two processes, on the books of one game's world. */
export async function openCockpit(seed: string) {
  const world = await openGameWorld(seed, { flags: { COCKFIGHT: true } });
  const { clock, entropy, db, ledger, otherLedger, betId } = world;
  /** Another brand with the key, and one without. */
  const second = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
  const without = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: false } } });
  /** What the sockets of each brand were sent by the first process, oldest first. */
  const told: { brand: string; event: Versioned }[] = [];
  const now = {
    /** The ring of the present test. */
    ring: null as unknown as Cockfight,
    /** The catalogue's answer for the ring; null: open. */
    refusal: null as Refusal | null,
    /** What happens until it is certain that the database's history is the known one. */
    whileUnsure: async (): Promise<void> => undefined,
  };

  /** Opens both processes anew, before each test; `other` is the same ring in another process. */
  function opened() {
    now.refusal = null;
    now.whileUnsure = async () => undefined;
    told.length = 0;
    const view = new CockfightView(localBus(), (brand, event) => told.push({ brand, event }));
    now.ring = process(ledger, view);
    const other = process(otherLedger, new CockfightView(localBus(), () => undefined));
    return { ring: now.ring, other, view };
  }

  /** Every match ends, and leaves no bet and no round of it open. */
  async function expectOver(): Promise<void> {
    vi.useRealTimers();
    const left = await currentMatch(db.pool);
    if (left !== null) await fought(left);
    expect(await ledger.verify()).toEqual([]);
    const { rows } = await db.pool.query(
      `SELECT id FROM cockfight_bets WHERE state = 'placed'
       UNION ALL SELECT round_id FROM vendor_rounds WHERE state = 'open'`,
    );
    expect(rows).toEqual([]);
  }

  function process(
    books: Ledger,
    shown: CockfightView,
    dying?: Pick<VendorWallet, "win" | "bet">,
  ): Cockfight {
    const brands = createBrands(db.pool, clock);
    return new Cockfight({
      pool: db.pool,
      // It dies before it would need the other calls of a wallet.
      wallet: (dying as VendorWallet | undefined) ?? new VendorWallet(db.pool, books, clock),
      clock,
      entropy,
      view: shown,
      brands: () => brands.having("COCKFIGHT"),
      playRefusal: async () => now.refusal,
      sure: () => now.whileUnsure(),
    });
  }

  /** A match whose bets are open and whose fight ends as the test wants it to. */
  async function open(result?: CockfightSide): Promise<MatchRow> {
    const match = present(await now.ring.prepare(), "a match");
    expect(match.closes_at.getTime()).toBe(clock.now() + BETTING_MS);
    if (result === undefined) return match;
    for (;;) {
      const serverSeed = Buffer.from(entropy.bytes(32)).toString("hex");
      if (fightOf({ serverSeed, matchId: match.id }).result !== result) continue;
      const seeds = { server_seed: serverSeed, seed_hash: seedHash(serverSeed) };
      await db.pool.query(
        "UPDATE cockfight_matches SET server_seed = $2, seed_hash = $3 WHERE id = $1",
        [match.id, seeds.server_seed, seeds.seed_hash],
      );
      return { ...match, ...seeds };
    }
  }

  /** From its present state to its end, as the keeper would. */
  async function fought(match: MatchRow): Promise<void> {
    const standing = present(await findMatch(db.pool, match.id), "the match");
    clock.set(Math.max(clock.now(), standing.closes_at.getTime()));
    await steps(now.ring, standing);
  }

  async function steps(held: Cockfight, from: MatchRow): Promise<void> {
    let match = from;
    while (match.settled_at === null) match = await held.advance(match);
  }

  function bet(
    match: { readonly id: string },
    side: CockfightSide,
    minor: bigint,
    currency: "PHP" | "FUN" = "PHP",
  ) {
    return { id: betId(), matchId: match.id, side, stake: { minor: minor, currency } };
  }

  function pool(
    meron: bigint,
    wala: bigint,
    draw: bigint,
    currency: "PHP" | "FUN" = "PHP",
  ): OnWire<CockfightPools> {
    const of = (minor: bigint) => ({ minor: `${minor}`, currency });
    return { meron: of(meron), wala: of(wala), draw: of(draw) };
  }

  async function statesOfRounds(match: MatchRow): Promise<string[]> {
    const { rows } = await db.pool.query<{ state: string }>(
      `SELECT DISTINCT r.state FROM vendor_rounds r JOIN cockfight_bets b ON b.lane = r.lane
         AND b.account_id = r.account_id AND b.id = r.round_id WHERE b.match_id = $1`,
      [match.id],
    );
    return rows.map(({ state }) => state);
  }

  return {
    ...world,
    ...{ second, without, told, now, opened, expectOver },
    ...{ process, open, fought, steps, bet, pool, statesOfRounds },
  };
}
