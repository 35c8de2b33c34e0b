import type { Entropy } from "@perya/kernel/instant";
import type { FastifyInstance, FastifyReply } from "fastify";
import { gonePage, SCRIPT, SCRIPT_PATH, seatPage, TABLE_PATH } from "./simulator-page.ts";
import type { ShownRound, VendorSimulator } from "./vendor-simulator.ts";

/** May be framed by our own player app and load nothing but its own script. */
function policyFor(framedBy: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors 'self' ${framedBy}`,
  ].join("; ");
}

const ROUND = /^[0-9a-f]{32}$/;
const STAKE = /^[1-9]\d{0,14}$/;

/**
 * The pages of the simulated vendors, outside the player app. They open in a sandboxed frame, so
 * they have no origin: what they load and request is open to every origin, and only the key of the
 * seat says who plays.
 */
export function simulatorPages(
  app: FastifyInstance,
  deps: {
    readonly simulator: VendorSimulator;
    readonly entropy: Entropy;
    readonly framedBy: string;
  },
): void {
  const { simulator, entropy } = deps;
  const policy = policyFor(new URL(deps.framedBy).origin);
  app.get(SCRIPT_PATH, async (_request, reply) =>
    reply
      .type("text/javascript; charset=utf-8")
      .header("cache-control", "no-cache")
      .header("cross-origin-resource-policy", "cross-origin")
      .send(SCRIPT),
  );

  app.get<{ Params: { vendor: string }; Querystring: Record<string, unknown> }>(
    "/sandbox/vendor/:vendor/play",
    async (request, reply) => {
      const token = String(request.query.token ?? "");
      const key = await simulator.open(request.params.vendor, token);
      return show(reply, key, null, null);
    },
  );

  app.post<{ Body: unknown }>(TABLE_PATH, async (request, reply) => {
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : "");
    const [key, game] = [form.get("key") ?? "", form.get("game")];
    const [round, stake] = [form.get("round") ?? "", form.get("stake") ?? ""];
    if (game === null || !form.has("round")) return show(reply, key, game, null);
    if (!ROUND.test(round) || !STAKE.test(stake)) return reply.code(400).send("round, stake");
    const spin = { roundId: round, gameId: game, stakeMinor: BigInt(stake) };
    const played = await simulator.spin(key, spin);
    return played === null ? reply.code(400).send("game, stake") : show(reply, key, game, played);
  });

  async function show(
    reply: FastifyReply,
    key: string | null,
    game: string | null,
    played: ShownRound | null,
  ) {
    void reply
      .type("text/html; charset=utf-8")
      .header("cache-control", "no-store")
      .header("content-security-policy", policy)
      // The default header of replies knows no other origin; browsers with the policy skip it.
      .header("x-frame-options", "SAMEORIGIN")
      .header("referrer-policy", "no-referrer")
      .header("access-control-allow-origin", "*");
    const seat = key === null ? null : await simulator.seat(key, game);
    if (key === null || seat === null) return reply.code(410).send(gonePage(languageOf(reply)));
    const nextRound = Buffer.from(entropy.bytes(16)).toString("hex");
    return reply.send(seatPage(seat, { key, nextRound, played }));
  }
}

function languageOf({ request }: FastifyReply): string {
  return /^(fil|tl)\b/i.test(request.headers["accept-language"] ?? "") ? "TY" : "EN";
}
