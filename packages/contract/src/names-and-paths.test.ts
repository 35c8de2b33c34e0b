import { expect, it } from "vitest";
import { LOGIN_USERNAME } from "./login-name.ts";
import { isNameOfNumber } from "./number-names.ts";
import { canonicalPath, HOME_PATHS, isShortPath, screenPath, spellings } from "./page-paths.ts";
import { fieldRefusal, limitRefusal } from "./refusal.ts";
import { shownLine } from "./wire.ts";

it("a name of ten or more digits, with or without four characters behind them, is a number's name", () => {
  const yes = ["9171234567", "639171234567", "9171234567_0a9z", "9171234567_ABCD"];
  const no = [
    ...["917123456", "a9171234567", "9171234567a", "9171234567_abc", "9171234567_abcde"],
    ...["9171234567_ab-d", "9171234567_", "", "juan_0a9z"],
  ];
  expect([...yes, ...no].filter(isNameOfNumber)).toEqual(yes);
});

it("a name for logging in has three to 32 characters, each with one spelling only", () => {
  const yes = ["jun", "a".repeat(32), "Ana.B_c@d+e-9"];
  const no = ["ju", "a".repeat(33), "jun ", "ju n", "jun\u0301", "ｊun", "jun!"];
  expect([...yes, ...no].filter((name) => LOGIN_USERNAME.test(name))).toEqual(yes);
});

it("a page has exactly one address, and that address leads back to its screen", () => {
  expect(HOME_PATHS.map(canonicalPath)).toEqual(HOME_PATHS.map(() => "/"));
  const short = ["/rng", "/live", "/pvp", "/fish", "/promotions", "/sports", "/cockfight"];
  for (const path of short) expect(canonicalPath(screenPath(path))).toBe(path);
  expect(new Set(short.map(screenPath)).size).toBe(short.length);
  expect([...short, "/m/slot-games", "/", "/m/help"].filter(isShortPath)).toEqual(short);
  expect(["/m/help", "/rng/x"].map(canonicalPath)).toEqual(["/m/help", "/rng/x"]);
  expect(["/m/help", "/m/slot-games"].map(screenPath)).toEqual(["/m/help", "/m/slot-games"]);
});

it("a path is found in other capitals and with slashes at its end", () => {
  const spelled = spellings(["/", "/m/", "/m/inHouse", "/rng"]);
  const ways = ["/m/inHouse", "/m/inHouse/", "/M/inhouse//", "/m/INHOUSE"];
  expect(ways.map(spelled)).toEqual(ways.map(() => "/m/inHouse"));
  expect(["/", "//", "/m", "/m/", "/RNG/"].map(spelled)).toEqual(["/", "/", "/m", "/m", "/rng"]);
  expect(["/m/launch/7/", "/m/Other"].map(spelled)).toEqual(["/m/launch/7", "/m/Other"]);
});

it("a refusal names the field with its fault, and with the limit where there is one", () => {
  const [bound, paid] = [{ code: "too_big", limit: "50" }, { unit: "PHP" }] as const;
  expect([
    fieldRefusal("amount", "required"),
    limitRefusal("amount", "too_big", "50"),
    limitRefusal("amount", "too_big", "50", "PHP"),
  ]).toEqual([
    { code: "invalid_input", fields: [{ field: "amount", code: "required" }] },
    { code: "invalid_input", fields: [{ field: "amount", ...bound }] },
    { code: "invalid_input", fields: [{ field: "amount", ...bound, ...paid }] },
  ]);
});

it("a line that others see loses the space around it and may hold no invisible character", () => {
  expect(shownLine.parse("  Maria Clara ")).toBe("Maria Clara");
  const hidden = ["Maria\u200bClara", "Maria\nClara", "\u202eMaria", "\u3164"];
  expect(hidden.filter((line) => shownLine.safeParse(line).success)).toEqual([]);
});
