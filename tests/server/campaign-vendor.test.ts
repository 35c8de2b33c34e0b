import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openJournal, readJournal, type VendorRound } from "../faults/journal.ts";
import type { VendorOptions } from "../faults/vendor.ts";

const SEAT = { vendor: "PGE", play: "play_1", gameId: "game-1", memberId: "mem_1" };
const PROGRAM = fileURLToPath(new URL("../faults/vendor.ts", import.meta.url));
let folder: string;
let journalFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "perya-campaign-vendor-"));
  journalFile = join(folder, "journal");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("the campaign's vendor", () => {
  it("rolls back a bet that is refused after one of its calls got no answer, and no other bet", async () => {
    const calls = await play((nth) => nth % 2 === 1, 8);
    const { entries } = readJournal(journalFile);
    const rounds = entries.flatMap((entry) => (entry.type === "round" ? [entry.round] : []));
    const ends = entries.flatMap((entry) => (entry.type === "ended" ? [entry] : []));
    const planned = ends.flatMap(({ roundId, end }) => {
      const plan = rounds.find((round) => round.roundId === roundId)?.plan;
      const sent = (calls.get(roundId) ?? []).slice(plan === "win-first" ? 1 : 0);
      return plan === "rollback-first" ? [] : [[end, ...sent].join(" ")];
    });
    expect(new Set(planned)).toEqual(new Set(["called off bet bet rollback", "refused bet"]));
  }, 60_000);

  it("rolls back a bet that it may have sent before it was killed, when the repeat is refused", async () => {
    const round: VendorRound = {
      ...{ ...SEAT, roundId: "campaign-1", plan: "win", stakeMinor: "100", winMinor: "200" },
    };
    openJournal(journalFile).write({ type: "round", round });
    const calls = await play(() => false, 1);
    expect(calls.get("campaign-1")).toEqual(["bet", "rollback"]);
    const { entries } = readJournal(journalFile);
    expect(entries).toContainEqual({ type: "ended", roundId: "campaign-1", end: "called off" });
  }, 60_000);
});

/**
 * Lets the vendor play at a house that refuses every bet, until so many rounds have ended.
 * @param isLost whether the first bet call of the nth round gets no answer
 * @returns the calls of each round, oldest first
 */
async function play(
  isLost: (nth: number) => boolean,
  rounds: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const calls = new Map<string, string[]>();
  const house = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    const { roundId } = JSON.parse(text) as { roundId: string }; // every call of a round names it
    const call = request.url?.split("/").at(-1) ?? "";
    const sent = [...(calls.get(roundId) ?? []), call];
    calls.set(roundId, sent);
    const isFirst = call === "bet" && sent.filter((one) => one === "bet").length === 1;
    if (isFirst && isLost(calls.size)) return request.socket.destroy();
    const code = call === "bet" ? "session_ended" : call === "win" ? "bet_missing" : null;
    response.statusCode = code === null ? 200 : 409;
    return response.end(JSON.stringify({ code }));
  });
  house.listen(0, "127.0.0.1");
  await once(house, "listening");
  // A server that listens on TCP has an address of this type.
  const { port } = house.address() as AddressInfo;
  const options: VendorOptions = {
    ...{ urls: [`http://127.0.0.1:${port}`], journalFile, seed: "a campaign's vendor" },
    ...{ keys: { PGE: "a key" }, seats: [SEAT] },
  };
  const optionsFile = join(folder, "vendor.json");
  writeFileSync(optionsFile, JSON.stringify(options));
  const vendor = fork(PROGRAM, [optionsFile], { execArgv: ["--import", "tsx"] });
  try {
    await vi.waitFor(() => {
      const { entries } = readJournal(journalFile);
      expect(entries.filter(({ type }) => type === "ended").length).toBeGreaterThanOrEqual(rounds);
    }, 50_000);
  } finally {
    const ended = once(vendor, "exit");
    vendor.kill("SIGKILL");
    await ended;
    house.close();
  }
  return calls;
}
