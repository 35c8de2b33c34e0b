import { describe, expect, it } from "vitest";
import { besideEarlier, readTables, renderTable, type Table } from "./measure.ts";

const TABLE: Table = {
  title: "Bets, in process",
  rows: [
    { what: "ledger, 64 in flight", figures: { "per second": "16,567", ratio: "2.11" } },
    { what: "scrolling", figures: { frames: "60" } },
  ],
  note: "Five rounds.",
};

describe("a stored result", () => {
  it("is read back as it was written, except empty cells and notes", () => {
    const text = `# Benchmark\n\n2 × some machine\n\n${renderTable(TABLE)}\n\n${renderTable(TABLE)}`;
    const [read, again] = readTables(text);
    expect(read?.title).toBe(TABLE.title);
    expect(read?.rows[0]).toEqual({
      what: "ledger, 64 in flight",
      figures: { "per second": "16,567", ratio: "2.11", frames: "" },
    });
    expect(again).toEqual(read);
  });

  it("appears behind each figure that it has", () => {
    const earlier = readTables(renderTable(TABLE));
    const now = {
      title: TABLE.title,
      rows: [
        { what: "ledger, 64 in flight", figures: { "per second": "17,000", latency: "3" } },
        { what: "new", figures: { frames: "59" } },
      ],
    };
    expect(besideEarlier(now, earlier).rows.map(({ figures }) => figures)).toEqual([
      { "per second": "17,000 (16,567)", latency: "3" },
      { frames: "59" },
    ]);
    expect(besideEarlier({ ...now, title: "Others" }, earlier).rows).toBe(now.rows);
  });
});
