import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import type { ServerModule } from "../../platform/server-module.ts";
import type { Captchas } from "../identity/identity.ts";
import { contentRoutes } from "./content.routes.ts";
import { Announcements, type HotMatches } from "./content.ts";
import { feedbackRoutes } from "./feedback.routes.ts";
import { FeedbackInbox } from "./feedback.ts";
import { helpRoutes } from "./help.routes.ts";

export interface ContentModuleOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly captchas: Captchas;
  readonly hotMatches: HotMatches;
}

export function contentModule({ pool, clock, captchas, hotMatches }: ContentModuleOptions) {
  const announcements = new Announcements(pool, clock);
  return {
    ...{ announcements, hotMatches },
    calls: {
      ...contentRoutes(announcements, hotMatches, clock),
      ...helpRoutes(pool),
      ...feedbackRoutes(new FeedbackInbox(pool, clock, captchas)),
    },
  } satisfies ServerModule & Record<"announcements" | "hotMatches", unknown>;
}
