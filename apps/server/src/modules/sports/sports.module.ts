import { idOf } from "../../platform/jobs.ts";
import type { Logger } from "../../platform/log.ts";
import type { ServerModule, Tell } from "../../platform/server-module.ts";
import { sportsRoutes } from "./sports.routes.ts";
import { END_MATCH, Sports, type SportsOptions } from "./sports.ts";
import { SportsBoard } from "./sports-board.ts";

export type SportsModuleOptions = SportsOptions & { readonly log: Logger; readonly tell: Tell };

export function sportsModule({ log, tell, ...options }: SportsModuleOptions) {
  const sports = new Sports(options);
  const board = new SportsBoard({
    ...{ sports, clock: options.clock, log },
    tell: (event) => tell("sports", null, event),
  });
  return {
    board,
    calls: sportsRoutes({ sports, board }),
    tasks: {
      [END_MATCH]: (payload: unknown) => sports.end(idOf(payload)),
      sports_plan: () => sports.plan(),
    },
    schedule: { sports_plan: "* * * * *" },
    channels: { sports: () => board.snapshot() },
    prepare: () => sports.plan(),
    start: () => board.start(),
    stop: () => board.stop(),
  } satisfies ServerModule & { readonly board: SportsBoard };
}
