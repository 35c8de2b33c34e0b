import type { launchCalls } from "@perya/contract/launch";
import type { Routes } from "../identity/identity.ts";
import type { Launcher } from "./launch.ts";

export function launchRoutes(launcher: Launcher): Routes<typeof launchCalls> {
  return {
    "POST /api/v1/games/launch": ({ merchant, session, body, language }) =>
      launcher.launch(merchant, session, body, language),
  };
}
