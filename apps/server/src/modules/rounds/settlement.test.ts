import { setTimeout as realSleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EffectMissed, LedgerUnavailable } from "../ledger/ledger.ts";
import { Settlement } from "./settlement.ts";

describe("a settlement", () => {
  it("tries all though wallets are busy and others were settled elsewhere, and answers how many are owed", async () => {
    const settlement = new Settlement();
    const paid: number[] = [];
    for (let bet = 0; bet < 9; bet++) {
      await settlement.add(async () => {
        if (bet % 3 === 0) throw new LedgerUnavailable("busy");
        if (bet === 4) throw new EffectMissed("somebody paid it");
        paid.push(bet);
      });
    }
    expect(await settlement.end()).toBe(3);
    expect(paid).toEqual([1, 2, 5, 7, 8]);
  });

  it("fails with a defect of ours, after all others were tried", async () => {
    const settlement = new Settlement();
    let paid = 0;
    await settlement.add(async () => {
      throw new Error("a fault");
    });
    for (let bet = 0; bet < 5; bet++) {
      await settlement.add(async () => {
        await realSleep(1);
        paid += 1;
      });
    }
    await expect(settlement.end()).rejects.toThrow("a fault");
    expect(paid).toBe(5);
  });

  it("has a bounded number under way, and goes on behind one that never ends", async () => {
    const settlement = new Settlement();
    let [underWay, most, done] = [0, 0, 0];
    let free: () => void = () => undefined;
    const held = new Promise<void>((go) => {
      free = go;
    });
    await settlement.add(() => held);
    for (let bet = 0; bet < 3_000; bet++) {
      await settlement.add(async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await realSleep(1);
        underWay -= 1;
        done += 1;
      });
    }
    while (done < 3_000) await realSleep(1);
    free();
    expect(await settlement.end()).toBe(0);
    expect(most).toBe(1_023);
  });
});
