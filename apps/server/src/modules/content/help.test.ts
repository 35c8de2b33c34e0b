import { describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { demoBrand } from "../../demo/demo-brand.ts";
import { demoHelp } from "../../demo/demo-help.ts";
import { type HelpEntry, helpEntries, insertHelpEntries } from "./content.ts";

const db = await databaseOfFile();
const clock = manualClock();
const perya = await makeBrand(db.pool, clock);
const other = await makeBrand(db.pool, clock);

describe("help entries", () => {
  it("[A3-15] are the brand's own, each with a title and a content, in its order", async () => {
    const entries = [entry("terms"), entry("faq")];
    await insertHelpEntries(db.pool, perya.id, entries);
    await insertHelpEntries(db.pool, other.id, [entry("faq")]);
    expect(await helpEntries(db.pool, perya.id)).toEqual(entries);
    expect(await helpEntries(db.pool, other.id)).toHaveLength(1);
  });

  it("have one tag each, which fits into an address", async () => {
    await expect(insertHelpEntries(db.pool, perya.id, [entry("faq")])).rejects.toThrow();
    await expect(insertHelpEntries(db.pool, perya.id, [entry("Ano po?")])).rejects.toThrow();
  });
});

describe("the demo brand's help", () => {
  const entries = demoHelp();
  const { minimumAge, cashier } = demoBrand.settings;

  it("explains what players ask, in both languages", () => {
    expect(entries.map(({ tag }) => tag)).toEqual([
      "faq",
      "deposits",
      "withdrawals",
      "bonuses",
      "fairness",
      "security",
      "responsible",
      "terms",
    ]);
    for (const { title, content } of entries) {
      expect(title.TY).not.toBe(title.EN);
      for (const text of [content.TY, content.EN]) {
        expect(text?.length).toBeGreaterThan(300);
        expect(unclosed(text ?? "")).toEqual([]);
      }
    }
  });

  it("states the figures of the brand's own settings", () => {
    const [deposit] = cashier.methods.filter(({ kind }) => kind === "deposit");
    const [withdrawal] = cashier.methods.filter(({ kind }) => kind === "withdrawal");
    for (const [tag, figures] of [
      ["deposits", [pesos(deposit?.minMinor), pesos(deposit?.maxMinor), cashier.depositMinutes]],
      ["withdrawals", [pesos(withdrawal?.minMinor), pesos(withdrawal?.maxMinor)]],
      ["withdrawals", [pesos(cashier.autoApproveMaxMinor), cashier.openMax]],
      ["responsible", [`${minimumAge}`]],
      ["terms", [`${minimumAge}`]],
      ["faq", [`${minimumAge}`, pesos(demoBrand.settings.trialCreditMinor).slice(1)]],
    ] as const) {
      const content = entries.find((one) => one.tag === tag)?.content;
      for (const text of [content?.TY, content?.EN]) {
        for (const figure of figures) expect(text).toContain(String(figure));
      }
    }
  });
});

function entry(tag: string): HelpEntry {
  return {
    tag,
    title: { TY: `${tag} (TY)`, EN: tag },
    content: { TY: "<p>Kumusta</p>", EN: "<p>Hello</p>" },
  };
}

/** Whole pesos as the texts write them. */
function pesos(minor: string | undefined): string {
  return `₱${Number((minor ?? "").slice(0, -2)).toLocaleString("en")}`;
}

/** Elements that are opened more often than closed, or the other way round. */
function unclosed(html: string): string[] {
  const names = new Set([...html.matchAll(/<\/?(\w+)/g)].map(([, name = ""]) => name));
  const count = (pattern: RegExp) => [...html.matchAll(pattern)].length;
  return [...names].filter(
    (name) => count(new RegExp(`<${name}[ >]`, "g")) !== count(new RegExp(`</${name}>`, "g")),
  );
}
