import type { Reply } from "@perya/client/api";
import { REAL_TYPES } from "@perya/contract/call";
import { isTrial, type SessionInfo } from "./session.ts";

/** Who may see and use what (specification, accounts §6, games §6 and readings 5, 22). */

type Info = Reply<"GET /api/v1/status">["info"];
/** What of the brand's settings the rules read. */
export type MenuRules = Pick<Info, "menuCheck" | "promoAvailability">;

/** What every rule takes where nobody is logged in. */
const TYPE_WITHOUT_SESSION = 4;
const TYPES_OF_NO_AGENT: readonly number[] = [0, 4, 40];

/** 0 member; 1 and 2 agents; 4 trial, and nobody; 40 to 42 internal accounts. */
export function sessionType(session: SessionInfo | null): number {
  return session?.type ?? TYPE_WITHOUT_SESSION;
}

export function isAgent(session: SessionInfo | null): boolean {
  return !TYPES_OF_NO_AGENT.includes(sessionType(session));
}

/** The house's own agents have no contracts (games §6). */
const AGENTS_OF_THE_HOUSE: readonly number[] = [41, 42];

/** Whether home leads to contracts that wait (games §2.9, reading 6). */
export function isLedToContracts(session: SessionInfo | null): boolean {
  return isAgent(session) && !AGENTS_OF_THE_HOUSE.includes(sessionType(session));
}

/**
 * What an entry or a screen asks of who uses it: `session` anyone logged in, `unlessTrial`
 * everyone but free play (deposit, messages, chat), `real` an account of real money.
 */
export type Gate = "session" | "unlessTrial" | "real";

/** Why a gate stays shut: a log-in is missing, or the account is none of real money. */
export function refusalAt(gate: Gate, session: SessionInfo | null): "login" | "free_reject" | null {
  if (session === null) return "login";
  if (gate === "unlessTrial" && isTrial(session)) return "free_reject";
  return gate === "real" && !REAL_TYPES.includes(session.type) ? "free_reject" : null;
}

/** Whether the brand offers what a menu entry of this type leads to. */
function isOffered(type: "VIP" | "MISSION" | "REFERRAL", rules: MenuRules): boolean {
  return rules.menuCheck.some(
    (entry) => entry.type === type && rules.promoAvailability[entry.key]?.enabled === true,
  );
}

/** Share and earn: for guests, and for those who are no agents while the brand has it. */
export function showsReferral(session: SessionInfo | null, rules: MenuRules): boolean {
  if (session === null) return true;
  return !isAgent(session) && isOffered("REFERRAL", rules);
}

export function showsVip(session: SessionInfo | null, rules: MenuRules): boolean {
  return session === null || isOffered("VIP", rules);
}

export function showsMissions(rules: MenuRules): boolean {
  return isOffered("MISSION", rules);
}
