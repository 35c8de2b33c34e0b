import type pg from "pg";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { findMemberByName } from "../../apps/server/src/modules/identity/identity.ts";
import { Sessions } from "../../apps/server/src/modules/identity/sessions/sessions.ts";
import { Operators } from "../../apps/server/src/modules/operators/operators.ts";
import { signAsVendor } from "../../apps/server/src/modules/vendors/vendors.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { SIGNATURE_HEADER, sign } from "../../apps/server/src/platform/http/signature.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { isOperators, OPERATOR_PERMISSIONS } from "../../packages/contract/src/operator.ts";
import { taken } from "../server/answers.ts";
import { type SealingKey, sealFor } from "../setup/seal-body.ts";
import { simulatedVendorSecret } from "../setup/simulated-vendor.ts";
import { type Chance, seededChance } from "./chance.ts";
import type { People } from "./world.ts";

export const SESSION_SECRET = "a secret of the flood's sessions: 50c1f9e2a7b3648d";
export const SANDBOX_SECRET = "a secret of the flood's payments: 8e61d37f2094bca5";
const SANDBOX = "sandbox";

/** The callers that the record counts. */
const CALLERS = [
  ...(["visitor", "member", "agent", "trial", "operator", "vendor", "provider"] as const),
] as const;
export type CallerKind = (typeof CALLERS)[number];

type Headers = Readonly<Record<string, string>>;

/** Every kind of caller in the contract, each with its credentials. */
export interface Callers {
  /** An admitted caller; for calls that end sessions, one whose session may end. */
  rightFor(key: string, call: Call, chance: Chance): { kind: CallerKind; headers: Headers };
  wrongFor(key: string, call: Call, chance: Chance): { kind: CallerKind; headers: Headers };
  /** Fields that need the name of a known vendor, play or provider to get further. */
  known(call: Call, key: string, nth: number): { params: object; body: object };
  /** The signature over the caller's bytes; none for callers who do not sign. */
  signature(kind: CallerKind, path: string, body: Buffer): Headers;
  seal(key: string, body: unknown): Promise<{ headers: Headers; data: string }>;
  /** Callers whose sessions have ended, although none should. */
  lost(): Promise<string[]>;
}

const ENDS_SESSIONS = /logout|sessions/;
/** Calls that start a session, which replaces the browser's earlier one. */
const STARTS_SESSIONS = /\/auth\//;

export async function openCallers(
  url: string,
  pool: pg.Pool,
  { seats, vendorSeats }: People,
): Promise<Callers> {
  const address = (n: number) => ({ "x-forwarded-for": `198.51.100.${n}` });
  const [member, ...spare] = seats.map(
    (seat): Headers => ({
      ...{ authorization: `Bearer ${seat.token}`, cookie: seat.cookie },
      "x-forwarded-for": seat.address,
    }),
  );
  if (member === undefined) throw new Error("nobody plays");
  const operators = new Operators(pool, systemClock, systemEntropy);
  const granted = { name: "Flood", permissions: OPERATOR_PERMISSIONS, days: 1 };
  const { token } = taken(await operators.add(demoBrand.id, granted));
  const headers: Readonly<Record<CallerKind, Headers>> = {
    visitor: address(1),
    member,
    agent: { ...(await sessionOf("linda")), ...address(2) },
    trial: { ...(await trialSession()), ...address(3) },
    operator: { authorization: `Bearer ${token}`, ...address(4) },
    vendor: address(5),
    provider: address(6),
  };
  const answer = await fetch(`${url}/api/v1/encryption-key`);
  const key: SealingKey = (await answer.json()).value;

  async function sessionOf(name: string): Promise<Headers> {
    const found = await findMemberByName(pool, demoBrand.id, name);
    if (found === null) throw new Error(`${name} is not there`);
    const sessions = new Sessions(pool, systemClock, systemEntropy);
    const device = { address: "198.51.100.2", userAgent: "flood" };
    const { halves } = await sessions.start(found, device, "password");
    return { authorization: `Bearer ${halves.storage}`, cookie: `perya_session=${halves.cookie}` };
  }

  async function trialSession(): Promise<Headers> {
    const started = await fetch(`${url}/api/v1/auth/test-play`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { value } = await started.json();
    const cookie = started.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    return { authorization: `Bearer ${value.token}`, cookie };
  }

  function kindsFor(callKey: string, call: Call): readonly CallerKind[] {
    if (isOperators(call)) return ["operator"];
    if (call.callers.includes("signed")) {
      return [callKey.includes("/callbacks/") ? "provider" : "vendor"];
    }
    return CALLERS.filter((kind) => (call.callers as readonly string[]).includes(kind));
  }

  return {
    rightFor(callKey, call, chance) {
      // Calls that end sessions use spare members, who do nothing else.
      if (ENDS_SESSIONS.test(callKey)) return { kind: "member", headers: chance.pick(spare) };
      const kind = chance.pick(kindsFor(callKey, call));
      return { kind, headers: headers[kind] };
    },

    wrongFor(callKey, call, chance) {
      const right = kindsFor(callKey, call);
      const kind =
        ENDS_SESSIONS.test(callKey) || STARTS_SESSIONS.test(callKey)
          ? "visitor"
          : chance.pick(CALLERS.filter((one) => !right.includes(one)));
      return { kind, headers: headers[kind] };
    },

    known(call, callKey, nth) {
      if (!call.callers.includes("signed")) return { params: {}, body: {} };
      if (callKey.includes("/callbacks/")) return { params: { provider: SANDBOX }, body: {} };
      const seat = seededChance(`${callKey} ${nth}`).pick(vendorSeats);
      const { vendor, play, gameId } = seat;
      const fields = callKey.endsWith("/plays") ? {} : { play };
      const game = callKey.endsWith("/bet") ? { gameId } : {};
      return { params: { vendor }, body: { ...fields, ...game } };
    },

    signature(kind, path, body) {
      const now = systemClock.now();
      const vendor = /vendors\/(\w+)/.exec(path)?.[1] ?? "";
      if (kind === "provider") return { [SIGNATURE_HEADER]: sign(SANDBOX_SECRET, body, now) };
      if (kind !== "vendor") return {};
      const secret = simulatedVendorSecret(SESSION_SECRET, vendor);
      const signature = signAsVendor(secret, path, body, now);
      return { [SIGNATURE_HEADER]: signature };
    },

    seal: (callKey, body) => sealFor({ ...key, now: systemClock.now() }, callKey, body),

    async lost() {
      const paths = { member: "/api/v1/member/sessions", agent: "/api/v1/member/sessions" };
      const asked = { ...paths, operator: "/api/v1/operator/actions" };
      const found: string[] = [];
      for (const [kind, path] of Object.entries(asked)) {
        const given = headers[kind as keyof typeof asked]; // the keys of this table
        const { status } = await fetch(url + path, { headers: given });
        if (status !== 200) found.push(`the flood went on without its ${kind}: ${status}`);
      }
      return found;
    },
  };
}
