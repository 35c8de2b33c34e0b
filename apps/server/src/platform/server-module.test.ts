import { describe, expect, it } from "vitest";
import { joined, type ServerModule } from "./server-module.ts";

const bank = {
  calls: { "GET /api/v1/bank": () => 1 },
  schedule: { bank_sweep: "* * * * *" },
} satisfies ServerModule;
const shop = { calls: { "GET /api/v1/shop": () => 2 } } satisfies ServerModule;

describe("the modules together", () => {
  it("lose no call and no schedule of any of them", () => {
    const { calls, schedule, tasks, list } = joined({ bank, shop });
    expect(calls).toEqual({ ...bank.calls, ...shop.calls });
    expect(schedule).toEqual(bank.schedule);
    expect(tasks).toEqual({});
    expect(list).toEqual([bank, shop]);
  });

  it("cannot bring the same name twice", () => {
    expect(() => joined({ bank, other: { schedule: bank.schedule } })).toThrow("one part");
    expect(() => joined({ shop, other: { calls: shop.calls } })).toThrow("one part");
  });

  it("fail to compile if a call or a channel is missing that none brings", () => {
    const brought = joined({ bank, shop });
    // @ts-expect-error: no module brings this call.
    brought.calls["GET /api/v1/none"];
    // @ts-expect-error: no module brings this channel.
    expect(brought.channels.wallet).toBeUndefined();
  });
});
