import { describe, expect, it } from "vitest";
import type {
  ListedLottery,
  LotteryDraw,
  LotteryGame,
} from "../../packages/contract/src/lottery.ts";
import { seedHash } from "../../packages/games/src/fairness.ts";
import { drawLottery } from "../../packages/games/src/lottery.ts";
import { sendTo, serverOfFile } from "./running-server.ts";

const server = await serverOfFile();

async function read(path: string) {
  const { status, json } = await sendTo(server, "GET", `/api/v1/lottery/${path}`, {
    host: "localhost",
  });
  expect(status, `${path}: ${JSON.stringify(json)}`).toBe(200);
  return json.value;
}

describe("the lotteries that the demo brand offers", () => {
  it("[G7-12 G2.6-12] are in the menu of their prize mode", async () => {
    const codes = async (mode: string) => {
      const { prizeMode, list } = await read(`menus?prizeMode=${mode}`);
      expect(prizeMode).toBe(mode);
      return list.map(({ gameCode }: LotteryGame) => gameCode);
    };
    expect(await codes("LOTT")).toEqual(["SUWERTE_3D", "SUWERTE_6_49"]);
    expect(await codes("ELOTT")).toEqual([
      "MABILIS_3D",
      "MABILIS_6_49",
      "HILAGA_3D",
      "HILAGA_6_49",
    ]);
    expect(await codes("SEA")).toEqual(["SILANGAN_3D"]);
    expect(await codes("ZY")).toEqual([]);
  });

  it("[G7-13] are listed with their next draw by the server's clock, with the Vietnamese ones apart", async () => {
    const { now, list }: { now: number; list: ListedLottery[] } = await read("list");
    expect(list).toHaveLength(7);
    for (const { next, last, open } of list) {
      expect(open).toBe(true);
      expect(next?.drawsAt).toBeGreaterThan(now);
      expect(last?.numbers).not.toBeNull();
    }
    const vietnam = (await read("vietnam")).list;
    expect(vietnam.map(({ vendor }: LotteryGame) => vendor)).toEqual([
      "TCG_LOTTO_VN",
      "TCG_LOTTO_VN",
    ]);
  });

  it("publish a draw's seed after it and its hash before it", async () => {
    const { list }: { list: ListedLottery[] } = await read("list");
    for (const { next, gameCode } of list) {
      expect(next).toMatchObject({ state: "open", numbers: null, serverSeed: null });
      expect(next?.seedHash).toMatch(/^[0-9a-f]{64}$/);
      const { items }: { items: LotteryDraw[] } = await read(`draws?gameCode=${gameCode}&limit=2`);
      expect(items).toHaveLength(2);
      for (const { id, kind, numbers, seedHash: hash, serverSeed } of items) {
        expect(seedHash(serverSeed ?? "")).toBe(hash);
        expect(drawLottery(kind, { serverSeed: serverSeed ?? "", drawId: id })).toEqual(numbers);
      }
    }
  });

  it("[G7-13 G3-08] have popular numbers, numero and a winner board from high to low", async () => {
    const popular = (await read("popular-numbers?gameCode=MABILIS_3D")).list;
    const picked = popular.map((one: { picked: number }) => one.picked);
    expect(picked.length).toBe(10);
    expect(picked).toEqual([...picked].sort((a, b) => b - a));
    const numero = await read("numero?gameCode=MABILIS_6_49");
    expect(numero).toMatchObject({ picks: 6, from: 1, to: 49 });
    expect(numero.list).toHaveLength(49);
    const fell = numero.list.reduce((sum: number, one: { fell: number }) => sum + one.fell, 0);
    expect(fell).toBe(numero.draws * 6);
    const board: { vo: { winAmount: { minor: string; currency: string } } }[] = (
      await read("winners")
    ).list;
    const amounts = board.map(({ vo }) => Number(vo.winAmount.minor));
    expect(amounts.length).toBeGreaterThan(1);
    expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
    expect(new Set(board.map(({ vo }) => vo.winAmount.currency))).toEqual(new Set(["PHP"]));
    // The game with the most sold tickets comes first.
    expect((await read("popular-games")).list[0].playType).toBe("ent");
  });

  it("answer 404 for a game that does not exist", async () => {
    for (const what of ["numero", "popular-numbers", "draws"]) {
      const { status, json } = await sendTo(
        server,
        "GET",
        `/api/v1/lottery/${what}?gameCode=NONE`,
        { host: "localhost" },
      );
      expect([status, json.code]).toEqual([404, "not_found"]);
    }
  });
});
