import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Captchas } from "../identity/identity.ts";
import { contentRoutes } from "./content.routes.ts";
import { Announcements, type HotMatches } from "./content.ts";
import { feedbackRoutes } from "./feedback.routes.ts";
import { FeedbackInbox } from "./feedback.ts";
import { helpRoutes } from "./help.routes.ts";

export function contentModule(
  { pool, clock }: ModuleParts,
  captchas: Captchas,
  hotMatches: HotMatches,
) {
  const announcements = new Announcements(pool, clock);
  return {
    ...{ announcements, hotMatches },
    calls: {
      ...contentRoutes(announcements, hotMatches, clock),
      ...helpRoutes(pool),
      ...feedbackRoutes(new FeedbackInbox(pool, clock, captchas)),
    },
  } satisfies ServerModule;
}
