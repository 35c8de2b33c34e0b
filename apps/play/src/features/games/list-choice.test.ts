import { describe, expect, it } from "vitest";
import {
  afterChange,
  CLEARED,
  choiceOf,
  chosenTab,
  chosenVendor,
  FAVOURITES_PATH,
  filtered,
  filtersOf,
  gamesAsked,
  isOfList,
  offeredTypes,
  offersTypes,
  playerGamesAsked,
  searched,
} from "./list-choice.ts";
import type { ListSearch } from "./list-search.ts";

const CENTRE = "/m/gameList";
const NO_FILTERS = { vassalage: "", name: "", type: "", minBet: "" };

function asked(pathname: string, search: ListSearch) {
  return gamesAsked(search, choiceOf(pathname, search));
}

function ownAsked(pathname: string, search: ListSearch) {
  return playerGamesAsked(pathname, search, choiceOf(pathname, search));
}

describe("an address of the list centre", () => {
  it("lists all games of its type, by vendor and classification", () => {
    expect(choiceOf(CENTRE, { gameType: "LIVE", vassalage: "EVO", type: "BAC" })).toEqual({
      list: { gameType: "LIVE" },
      ...{ type: "BAC", vassalage: "EVO", tab: "all" },
    });
  });

  it("lists what its path fixes, even against its query", () => {
    expect(choiceOf("/m/roulette", {})).toMatchObject({ type: "ROU", tab: "all" });
    expect(choiceOf("/m/roulette", { type: "BAC" })).toMatchObject({ type: "ROU" });
    expect(choiceOf("/m/inHouse", { vassalage: "EVO" })).toMatchObject({ vassalage: "BGS" });
  });

  it.each([
    ["HOT", "hot"],
    ["FAV", "fav"],
    ["RECENT", "recent"],
    ["NEW", "all"],
  ])("with the selection %s opens the tab %s, unless it names a tab", (type, tab) => {
    expect(choiceOf(CENTRE, { type }).tab).toBe(tab);
    expect(choiceOf(CENTRE, { type, tab: "filter" }).tab).toBe("filter");
  });
});

describe("a change of the list", () => {
  it("[G2.7-17] leads to its first page, and leaves the popup's address", () => {
    const search: ListSearch & { pop?: string } = { gameType: "LIVE", page: 3, pop: "filter" };
    expect(afterChange(CENTRE, search, { name: "ace" })).toEqual({
      to: ".",
      search: { gameType: "LIVE", name: "ace" },
    });
  });

  it("of its page leads to that page", () => {
    const { search } = afterChange(CENTRE, { name: "ace", page: 3 }, { page: 4 });
    expect(search).toEqual({ name: "ace", page: 4 });
  });

  it("leaves the favourites' own path for another tab, and stays there otherwise", () => {
    const to = (change: Parameters<typeof afterChange>[2]) =>
      afterChange(FAVOURITES_PATH, { tab: "fav" }, change).to;
    expect(to(chosenTab("all"))).toBe(CENTRE);
    expect(to({ tab: "hot" })).toBe(CENTRE);
    expect(to({ tab: "fav" })).toBe(".");
    expect(to({ page: 2 })).toBe(".");
    expect(afterChange("/m/live-games", {}, { tab: "hot" }).to).toBe(".");
  });

  const narrowed: ListSearch = {
    ...{ gameType: "LIVE", vassalage: "EVO", type: "BAC", name: "ace", minBet: "5", tab: "filter" },
  };

  it("to a tab drops classification, name and smallest bet, and keeps the vendor", () => {
    expect(afterChange(CENTRE, narrowed, chosenTab("hot")).search).toEqual({
      ...{ gameType: "LIVE", vassalage: "EVO", tab: "hot" },
    });
    expect(afterChange(CENTRE, narrowed, chosenTab("all")).search).toEqual({
      ...{ gameType: "LIVE", vassalage: "EVO" },
    });
  });

  it("to a vendor leads to all its games and keeps a classification, but not a list of its own", () => {
    expect(afterChange(CENTRE, narrowed, chosenVendor(narrowed, "PGE")).search).toEqual({
      ...{ gameType: "LIVE", vassalage: "PGE", type: "BAC", minBet: "5" },
    });
    const hot: ListSearch = { gameType: "LIVE", type: "HOT" };
    expect(afterChange(CENTRE, hot, chosenVendor(hot, "PGE")).search).toEqual({
      ...{ gameType: "LIVE", vassalage: "PGE" },
    });
    const none: ListSearch = { vassalage: "EVO", name: "ace" };
    expect(afterChange(CENTRE, none, chosenVendor(none, undefined)).search).toEqual({});
  });

  it("to a name searches all games of the vendor, and an emptied name ends the search", () => {
    expect(afterChange(CENTRE, narrowed, searched("king")).search).toEqual({
      ...{ gameType: "LIVE", vassalage: "EVO", name: "king", minBet: "5" },
    });
    expect(afterChange(CENTRE, { name: "king" }, searched("")).search).toEqual({});
  });

  it("that clears the filters keeps only the type", () => {
    expect(afterChange(CENTRE, narrowed, CLEARED).search).toEqual({ gameType: "LIVE" });
  });
});

describe("the filter panel", () => {
  it("shows what narrows the list", () => {
    const search: ListSearch = { vassalage: "EVO", name: "ace", type: "BAC", minBet: "5" };
    const { name, minBet, type, vassalage } = filtersOf(search, choiceOf(CENTRE, search));
    expect({ name, minBet, type, vassalage }).toEqual(search);
    expect(filtersOf({}, choiceOf(CENTRE, {}))).toEqual(NO_FILTERS);
  });

  it("shows the selection of a tab that is a list of its own", () => {
    const type = (tab: ListSearch["tab"]) => {
      const search = tab === undefined ? {} : { tab };
      return filtersOf(search, choiceOf(CENTRE, search)).type;
    };
    expect([type("hot"), type("fav"), type("recent")]).toEqual(["HOT", "FAV", "RECENT"]);
    expect([type("filter"), type(undefined)]).toEqual(["", ""]);
  });

  it("leads to a list without a tab, and to all games where it sets nothing", () => {
    expect(filtered({ ...NO_FILTERS, vassalage: "EVO", minBet: "5" })).toEqual({
      ...{ tab: "filter", vassalage: "EVO", minBet: "5" },
    });
    expect(filtered({ ...NO_FILTERS, type: "BAC", name: "ace" })).toEqual({
      ...{ tab: "filter", type: "BAC", name: "ace" },
    });
    expect(filtered(NO_FILTERS)).toEqual({});
  });

  it.each([
    ["HOT", "hot"],
    ["FAV", "fav"],
    ["RECENT", "recent"],
  ])("[G2.7-19] leads from the selection %s to its own tab, %s", (type, tab) => {
    expect(filtered({ ...NO_FILTERS, type, vassalage: "EVO" })).toEqual({
      ...{ tab, vassalage: "EVO" },
    });
  });
});

describe("games", () => {
  it("are requested with everything that narrows the list", () => {
    const search: ListSearch = { gameType: "LIVE", vassalage: "EVO", name: "ace", minBet: "5" };
    expect(asked(CENTRE, { ...search, type: "BAC" })).toEqual({
      ...{ pageSize: 35, gameName: "ace", vassalage: "EVO", gameClassify: "BAC", isNew: "" },
      ...{ minBet: "5", gameType: "LIVE" },
    });
    expect(asked(CENTRE, {})).toEqual({
      ...{ pageSize: 35, gameName: "", vassalage: "", gameClassify: "", isNew: "" },
      ...{ minBet: "", gameType: "RNG" },
    });
  });

  it("[G5-03] that are new are requested by a mark and no classification, and other selections by neither", () => {
    expect(asked(CENTRE, { type: "NEW" })).toMatchObject({ gameClassify: "", isNew: "1" });
    for (const type of ["ALL", "HOT", "FAV", "RECENT"]) {
      expect(asked(CENTRE, { type })).toMatchObject({ gameClassify: "", isNew: "" });
    }
  });

  it("[G9-02] of the player's own are requested by type and vendor, kept ones 35 a page, recent ones 15", () => {
    expect(ownAsked(CENTRE, { tab: "fav", gameType: "LIVE", vassalage: "EVO" })).toEqual({
      ...{ pageSize: 35, gameType: "LIVE", vendor: "EVO" },
    });
    expect(ownAsked(CENTRE, { tab: "recent" })).toEqual({ pageSize: 15, gameType: "RNG" });
  });

  it("on the favourites' own path are of every type until one is chosen", () => {
    expect(ownAsked(FAVOURITES_PATH, { tab: "fav" })).toEqual({ pageSize: 35 });
    expect(ownAsked(FAVOURITES_PATH, { tab: "fav", gameType: "LIVE" })).toEqual({
      ...{ pageSize: 35, gameType: "LIVE" },
    });
  });

  it("[G2.7-23] that are hot show where their type is listed, of the chosen vendor alone", () => {
    const sports = choiceOf("/m/sport-games", {});
    expect(isOfList(sports, { gameType: "ESPORTS", vassalage: "EVO" })).toBe(true);
    expect(isOfList(sports, { gameType: "LIVE", vassalage: "EVO" })).toBe(false);
    const cockfights = choiceOf("/m/cockfight", { gameType: "COCKFIGHT" });
    expect(isOfList(cockfights, { gameType: "SPORTS", vassalage: "EVO" })).toBe(true);
    const evo = choiceOf(CENTRE, { gameType: "LIVE", vassalage: "EVO" });
    expect(isOfList(evo, { gameType: "LIVE", vassalage: "EVO" })).toBe(true);
    expect(isOfList(evo, { gameType: "LIVE", vassalage: "PGE" })).toBe(false);
  });
});

describe("the chips of types", () => {
  it("offer the types of the vendor's games and the shown one, each once", () => {
    const all = ["RNG", "LIVE", "SPORTS", "ESPORTS", "COCKFIGHT"] as const;
    expect(offeredTypes(all, all, "RNG")).toEqual(["RNG", "LIVE", "SPORTS"]);
    expect(offeredTypes(all, ["LIVE"], "RNG")).toEqual(["RNG", "LIVE"]);
    expect(offeredTypes(all, ["LIVE", "ESPORTS"], "LIVE")).toEqual(["LIVE"]);
  });

  it("appear only where there is a choice", () => {
    expect(offersTypes(CENTRE, ["RNG", "LIVE"])).toBe(true);
    expect(offersTypes(CENTRE, ["RNG"])).toBe(false);
    expect(offersTypes("/m/slot-games", ["RNG", "LIVE"])).toBe(false);
  });
});
