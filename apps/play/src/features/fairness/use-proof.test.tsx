// @vitest-environment jsdom
import { mintId } from "@perya/kernel/ids";
import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { useSession } from "../../shell/session.ts";
import { useProof } from "./use-proof.ts";

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const ID = mintId("round", 1, new Uint8Array(16).fill(1));
const SEED = mintId("seed", 1, new Uint8Array(16).fill(2));
/** The server's answers, by path below /api/v1; any other path is not found. */
let known: Record<string, object>;
let asked: string[];
let proof: ReturnType<typeof useProof>;
const page = pageOfEachTest();

beforeEach(() => {
  [known, asked] = [{}, []];
  vi.stubGlobal("fetch", async (url: string) => {
    const path = url.replace("/api/v1/", "");
    asked.push(path);
    const value = known[path];
    if (value instanceof Error) throw value;
    if (value !== undefined) return new Response(JSON.stringify({ value }));
    const code = "not_found";
    const body = { type: code, code, status: 404, title: "", detail: "Wala.", requestId: "r" };
    return new Response(JSON.stringify(body), { status: 404 });
  });
  useSession.setState({ session: MARIA, lapsed: false });
});

describe("the proof of a round", () => {
  it("is sealed while the seed that dealt it is in use", async () => {
    const round = { id: ID, fairness: { serverSeed: null, seedId: SEED } };
    known[`rounds/${ID}`] = round;
    await ask(ID);
    expect(proof.data).toEqual({ kind: "sealed", round });
  });

  it("is recomputed step by step where the seed is known", async () => {
    known[`rounds/${ID}`] = {
      ...{ id: ID, gameId: "color-game", choices: {}, outcome: {} },
      payout: { minor: "0", currency: "PHP" },
      stake: { minor: "100", currency: "PHP" },
      fairness: {
        ...{ serverSeed: "00".repeat(32), seedId: SEED, serverSeedHash: "11".repeat(32) },
        ...{ clientSeed: "mine", nonce: 0 },
      },
    };
    await ask(ID);
    expect(proof.data).toMatchObject({ kind: "round", steps: expect.any(Array) });
  });

  it("is unknown for an id of neither a round of the player's nor a flight", async () => {
    await ask(ID);
    expect(proof.data).toEqual({ kind: "unknown" });
    expect(asked).toEqual([`rounds/${ID}`, `saranggola/rounds/${ID}`]);
  });

  it("asks for no player's round where nobody is logged in", async () => {
    useSession.setState({ session: null, lapsed: false });
    await ask(ID);
    expect(proof.data).toEqual({ kind: "unknown" });
    expect(asked).toEqual([`saranggola/rounds/${ID}`]);
  });

  it.each([{ chainId: SEED }, { chainIndex: 1 }, {}])(
    "of a flight refutes nothing where the server says only %j of its chain",
    async (told) => {
      known[`saranggola/rounds/${ID}`] = told;
      known["saranggola/bets/mine"] = { bets: [] };
      known["saranggola/chains"] = { chains: [] };
      await ask(ID);
      expect(proof.error?.message).toBe("no chain was told");
    },
  );

  it("of a flight goes on where the server names its chain", async () => {
    known[`saranggola/rounds/${ID}`] = { id: ID, chainId: SEED, chainIndex: 1 };
    known["saranggola/bets/mine"] = { bets: [] };
    known["saranggola/chains"] = { chains: [] };
    await ask(ID);
    expect(asked).toContain("saranggola/chains");
    expect(asked).toContain("saranggola/bets/mine");
  });

  it("calls the server only for a round's id", async () => {
    await act(async () => render(SEED));
    await act(async () => render(null));
    expect([proof.fetchStatus, asked]).toEqual(["idle", []]);
  });

  it("fails with any other error of the server", async () => {
    known[`rounds/${ID}`] = new TypeError("away");
    await ask(ID);
    expect(proof.error?.name).toBe("NetworkFailure");
  });
});

function Probe({ id }: { id: string | null }) {
  proof = useProof(id);
  return null;
}

function render(id: string | null): void {
  page.render(<Probe id={id} />);
}

async function ask(id: string): Promise<void> {
  await act(async () => render(id));
  await act(() => vi.waitFor(() => expect(proof.fetchStatus).toBe("idle"), { timeout: 10_000 }));
}
