import type { feedbackCalls } from "@perya/contract/feedback";
import type { Routes } from "../identity/identity.ts";
import type { FeedbackInbox } from "./feedback.ts";

export function feedbackRoutes(inbox: FeedbackInbox): Routes<typeof feedbackCalls> {
  return {
    "PUT /api/v1/feedback": ({ session, body, language, full }) =>
      inbox.send(session, { ...body, language }, full),
  };
}
