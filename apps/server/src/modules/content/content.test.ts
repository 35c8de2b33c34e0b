import { mintId } from "@perya/kernel/ids";
import { HOUR_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  EVENING,
  makeBrand,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import type { Merchant } from "../brand/brand.ts";
import { type Announcement, insertAnnouncements, runningAnnouncements, textIn } from "./content.ts";

const entropy = seededEntropy("content");
let db: TestDatabase;
let merchant: Merchant;
let neighbour: Merchant;

beforeAll(async () => {
  db = await createTestDatabase();
  const clock = manualClock();
  merchant = await makeBrand(db.pool, clock);
  neighbour = await makeBrand(db.pool, clock);
  await insertAnnouncements(db.pool, merchant.id, [
    notice("second", { startsAt: EVENING - 2, endsAt: EVENING + HOUR_MS }),
    notice("first in the brand's order", { type: "B" }),
    notice("over", { endsAt: EVENING }),
    notice("not yet", { startsAt: EVENING + 1 }),
    notice("elsewhere", { groupName: "m_game" }),
    notice("for agents", { type: "A" }),
  ]);
  await insertAnnouncements(db.pool, neighbour.id, [notice("the neighbour's", {})]);
});

afterAll(() => db.drop());

describe("announcements", () => {
  it("are those of the brand, the place and the kinds asked for that run now, in order", async () => {
    const titles = async (types: string[], at = EVENING) =>
      (await runningAnnouncements(db.pool, merchant.id, "m_home", types, at)).map(
        (one) => one.title.EN,
      );
    expect(await titles(["B", "PL"])).toEqual(["second", "first in the brand's order"]);
    expect(await titles(["PL"])).toEqual(["second"]);
    expect(await titles(["PL"], EVENING + 1)).toEqual(["second", "not yet"]);
    expect(await titles(["PL"], EVENING + HOUR_MS)).toEqual(["not yet"]);
    expect(await titles(["PU"])).toEqual([]);
  });

  it("are worded in the language asked for, in English where it is missing", () => {
    const text = { TY: "Kumusta", EN: "Hello" };
    expect([textIn(text, "TY"), textIn(text, "VN")]).toEqual(["Kumusta", "Hello"]);
  });
});

function notice(title: string, change: Partial<Announcement>): Announcement {
  return {
    id: mintId("announcement", EVENING, entropy.bytes(16)),
    type: "PL",
    groupName: "m_home",
    category: null,
    title: { TY: `${title} (TY)`, EN: title },
    content: { TY: "", EN: "" },
    url: "",
    scene: "",
    startsAt: EVENING - HOUR_MS,
    endsAt: null,
    ...change,
  };
}
