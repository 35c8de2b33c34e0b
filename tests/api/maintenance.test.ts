import { describe, expect, it } from "vitest";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { isOperators } from "../../packages/contract/src/operator.ts";
import { REFUSALS } from "../../packages/contract/src/refusal.ts";
import { sendTo, serverOfFile } from "./running-server.ts";

/**
 * Calls that stay open to players while their brand is under maintenance: those that tell them so,
 * those that end a session, and those that end a bet placed before.
 */
const OPEN: ReadonlySet<string> = new Set([
  "GET /api/v1/status",
  "GET /api/v1/service-link",
  "DELETE /api/v1/auth/logout",
  "DELETE /api/v1/member/sessions",
  "DELETE /api/v1/member/sessions/{id}",
  "POST /api/v1/saranggola/cash-outs",
  "GET /api/v1/saranggola/bets/mine",
  "POST /api/v1/sports/cash-outs",
]);
const declared = Object.entries<Call>(calls);

const settings = JSON.stringify({ maintenance: true });
const server = await serverOfFile(
  {},
  {
    prepare: async (pool) => {
      await pool.query("UPDATE merchants SET settings = settings || $1", [settings]);
    },
  },
);

describe("while a brand is under maintenance", () => {
  it.each(declared)(
    "%s is closed to players unless it tells them so or ends a session or bet, and is open to all others",
    async (key, call) => {
      const [method = "", template = ""] = key.split(" ");
      const path = template.replace(/\{\w+\}/g, "none");
      const body = call.body === undefined ? undefined : {};
      const answer = await sendTo(server, method, path, { host: "localhost", body });
      const forPlayers = !call.callers.includes("signed") && !isOperators(call);
      if (forPlayers && !OPEN.has(key)) {
        expect([answer.status, answer.json.code]).toEqual([REFUSALS.maintenance, "maintenance"]);
        expect(answer.json.detail).not.toBe("");
        expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      } else expect(answer.json.code).not.toBe("maintenance");
    },
  );

  it("its status says so, and the health check is unchanged", async () => {
    const { status, json } = await sendTo(server, "GET", "/api/v1/status", { host: "localhost" });
    expect([status, json.value.maintenance]).toEqual([200, true]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});
