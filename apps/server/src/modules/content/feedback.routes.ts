import type { feedbackCalls } from "@perya/contract/feedback";
import type { Routes } from "../identity/identity.ts";
import type { FeedbackDesk } from "./feedback.ts";

export function feedbackRoutes(desk: FeedbackDesk): Routes<typeof feedbackCalls> {
  return {
    "PUT /api/v1/feedback": ({ session, body, language, full }) =>
      desk.send(session, { ...body, language }, full),
  };
}
