import { idOf } from "../../platform/jobs.ts";
import type { ServerModule } from "../../platform/server-module.ts";
import { type LotteryRoutesOptions, lotteryRoutes } from "./lottery.routes.ts";
import { HOLD_DRAW, Lotteries, type LotteryOptions } from "./lottery.ts";

export type LotteryModuleOptions = LotteryOptions & Pick<LotteryRoutesOptions, "offered">;

export function lotteryModule({ offered, ...options }: LotteryModuleOptions) {
  const lotteries = new Lotteries(options);
  return {
    calls: lotteryRoutes({ lotteries, clock: options.clock, offered }),
    tasks: {
      [HOLD_DRAW]: (payload: unknown) => lotteries.hold(idOf(payload)),
      lottery_plan: () => lotteries.plan(),
    },
    schedule: { lottery_plan: "* * * * *" },
    prepare: () => lotteries.plan(),
  } satisfies ServerModule;
}
