import type { Refusal } from "@perya/contract/refusal";
import {
  comesTrue,
  type Market,
  type Selection,
  type Sport,
  selectionsOf,
} from "@perya/games/sports";
import { LOBBIES } from "@perya/games/sports-fixtures";
import { present } from "@perya/kernel/assert";
import { type Clock, MINUTE_MS } from "@perya/kernel/instant";
import { expect } from "vitest";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import type { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { matchNow, matchOf, oddsNow } from "../../apps/server/src/modules/sports/match-now.ts";
import {
  type FixtureRow,
  findFixtures,
  fixturesAround,
  type Leg,
} from "../../apps/server/src/modules/sports/sports.store.ts";
import { type GivenBet, Sports } from "../../apps/server/src/modules/sports/sports.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import type { Pause } from "../../apps/server/src/platform/clock.ts";
import { openGameWorld } from "./game-world.ts";

/** The virtual matches of two processes, on the books of one game's world. */
export async function openSportsWorld(seed: string) {
  const world = await openGameWorld(seed);
  const { clock, entropy, db, ledger, otherLedger, betId } = world;
  const now = {
    /** The matches of the present test. */
    here: null as unknown as Sports,
    /** The catalogue's answer for the games; null: open. */
    refusal: null as Refusal | null,
  };

  /** Opens both processes anew, before each test; `other` has the same matches. */
  async function opened() {
    now.refusal = null;
    now.here = process(ledger);
    await now.here.plan();
    return { here: now.here, other: process(otherLedger) };
  }

  /** No bet waits for matches that are all over, and the vendor's record agrees with the bet. */
  async function expectOver(): Promise<void> {
    expect(await ledger.verify()).toEqual([]);
    const { rows } = await db.pool.query(
      `SELECT b.id FROM sports_bets b
       LEFT JOIN vendor_rounds r ON r.lane = b.lane AND r.account_id = b.account_id
         AND r.round_id = b.id
       WHERE r.state IS NULL OR r.payout_minor <> b.payout_minor
         OR r.state <> CASE b.state WHEN 'placed' THEN 'open' WHEN 'voided' THEN 'voided'
           ELSE 'settled' END
         OR (b.state = 'placed' AND NOT EXISTS (SELECT 1 FROM sports_fixtures f
           WHERE f.id = ANY(b.fixture_ids) AND f.settled_at IS NULL))`,
    );
    expect(rows).toEqual([]);
  }

  function process(
    books: Ledger,
    wallet = new VendorWallet(db.pool, books, clock),
    by: Clock = clock,
    pause: Pause = async () => undefined,
  ): Sports {
    return new Sports({
      ...{ pool: db.pool, wallet, clock: by, entropy, pause },
      playRefusal: async (_merchant, _session, { vendor }) => {
        expect([LOBBIES.football.vendor, LOBBIES.esports.vendor]).toContain(vendor);
        return now.refusal;
      },
    });
  }

  async function coming(sport: Sport): Promise<FixtureRow[]> {
    await now.here.plan();
    const fixtures = await fixturesAround(db.pool, clock.now(), clock.now() + 30 * MINUTE_MS);
    return fixtures.filter(
      (one) =>
        one.sport === sport && one.state === "open" && matchNow(one, clock.now()).phase === "next",
    );
  }

  async function next(sport: Sport): Promise<FixtureRow> {
    return present((await coming(sport))[0], "the next match");
  }

  async function nextTwo(sport: Sport): Promise<[FixtureRow, FixtureRow]> {
    const [one, two] = await coming(sport);
    return [present(one, "the next match"), present(two, "the one after")];
  }

  /** The next match in which a point falls before its last minutes. */
  async function goalful(): Promise<FixtureRow> {
    for (;;) {
      const all = await coming("football");
      const found = all.find((one) => (matchOf(one).points[0]?.tick ?? 90) < 80);
      if (found !== undefined) return found;
      clock.advance(20 * MINUTE_MS);
    }
  }

  async function found(fixture: FixtureRow): Promise<FixtureRow> {
    const row = (await findFixtures(db.pool, [fixture.id])).get(fixture.id);
    return present(row, "the fixture");
  }

  async function end(fixture: FixtureRow, by = now.here): Promise<FixtureRow> {
    clock.set(Math.max(clock.now(), fixture.ends_at.getTime()));
    await by.end(fixture.id);
    return found(fixture);
  }

  /** Ends all matches that a bet waits for. */
  async function endAll(): Promise<void> {
    const { rows } = await db.pool.query<{ id: string }>(
      "SELECT DISTINCT unnest(fixture_ids) AS id FROM sports_bets WHERE state = 'placed'",
    );
    const waited = await findFixtures(
      db.pool,
      rows.map(({ id }) => id),
    );
    for (const fixture of waited.values()) await end(fixture);
  }

  async function leg(
    { id }: FixtureRow,
    market: Market = "result",
    selection: Selection = "home",
  ): Promise<Leg> {
    const one = { fixtureId: id, market, selection, odds: 0 };
    const fixture = (await findFixtures(db.pool, [id])).get(id);
    const odds = oddsNow(present(fixture, "the fixture"), one, clock.now());
    return { ...one, odds: present(odds, `odds of ${market} ${selection}`) };
  }

  /** The tests may look at the seed; players see its hash. */
  function winning(fixture: FixtureRow): Promise<Leg> {
    return resulting(fixture, true);
  }

  function losing(fixture: FixtureRow): Promise<Leg> {
    return resulting(fixture, false);
  }

  function resulting(fixture: FixtureRow, won: boolean): Promise<Leg> {
    const { score } = matchOf(fixture);
    const selection = selectionsOf(fixture.sport, "result").find(
      (one) => comesTrue("result", one, score) === won,
    );
    return leg(fixture, "result", present(selection, "a selection"));
  }

  function bet(legs: readonly Leg[], stake: bigint): GivenBet {
    return { id: betId(), legs, stake: { minor: stake, currency: "PHP" }, accept: "better" };
  }

  async function stateOf(session: Session): Promise<string | undefined> {
    const [latest] = await now.here.betsOf(session, { before: null, limit: 1 });
    return latest?.bet.state;
  }

  return {
    ...world,
    ...{ now, opened, expectOver },
    ...{
      process,
      coming,
      next,
      nextTwo,
      goalful,
      found,
      end,
      endAll,
      leg,
      winning,
      losing,
      bet,
      stateOf,
    },
  };
}
