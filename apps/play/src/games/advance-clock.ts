import { api } from "../shell/server.ts";

/** The heartbeat aligns the clock; before its first answer this keeps it from lagging behind. */
export function advanceClock(serverNowMs: number): void {
  if (serverNowMs > api.serverNow()) api.alignClock(serverNowMs);
}
