import { idOf } from "../../platform/jobs.ts";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { sportsRoutes } from "./sports.routes.ts";
import { END_MATCH, Sports, type SportsOptions } from "./sports.ts";
import { SportsBoard } from "./sports-board.ts";

export function sportsModule(options: ModuleParts & SportsOptions) {
  const { clock, log, tell } = options;
  const sports = new Sports(options);
  const board = new SportsBoard({
    ...{ sports, clock, log },
    tell: (event) => tell("sports", null, event),
  });
  return {
    ...{ board },
    calls: sportsRoutes(sports, board),
    tasks: {
      [END_MATCH]: (payload: unknown) => sports.end(idOf(payload)),
      sports_plan: () => sports.plan(),
    },
    schedule: { sports_plan: "* * * * *" },
    channels: { sports: () => board.snapshot() },
    prepare: () => sports.plan(),
    start: () => board.start(),
    stop: () => board.stop(),
  } satisfies ServerModule;
}
