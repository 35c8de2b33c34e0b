import type { Reply } from "@perya/client/api";
import { REAL_TYPES } from "@perya/contract/call";
import { isTrial, type SessionInfo } from "./session.ts";

/** Who may see and use what (specification, accounts §6, games §6). */

type Info = Reply<"GET /api/v1/status">["info"];
/** The brand's settings that the rules read. */
export type MenuRules = Pick<Info, "menuCheck" | "promoAvailability" | "closedPaths">;

/** The type that every rule uses where nobody is logged in. */
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

/** Whether home leads to waiting contracts: never for type 0, which is no agent (games §2.9). */
export function isLedToContracts(session: SessionInfo | null): boolean {
  return isAgent(session) && !AGENTS_OF_THE_HOUSE.includes(sessionType(session));
}

/**
 * What an entry or a screen requires of its user: `session` any log-in, `unlessTrial` anything but
 * free play (deposit, messages, chat), `real` an account of real money.
 */
export type Gate = "session" | "unlessTrial" | "real";

/** Why a gate stays shut: a log-in is missing, or the account is not of real money. */
export function refusalAt(gate: Gate, session: SessionInfo | null): "login" | "free_reject" | null {
  if (session === null) return "login";
  if (gate === "unlessTrial" && isTrial(session)) return "free_reject";
  return gate === "real" && !REAL_TYPES.includes(session.type) ? "free_reject" : null;
}

type Promotion = "VIP" | "MISSION" | "REFERRAL";

/** Screens of promotions, whose keys the status distinguishes by their types (`menuCheck`). */
const PROMOTIONS: Readonly<Record<string, Promotion>> = {
  "/m/member/benefits": "VIP",
  "/m/leaderBoard": "MISSION",
  "/m/inviteFriends": "REFERRAL",
};

function promotionAt(address: string): Promotion | undefined {
  return PROMOTIONS[pathOf(address)];
}

function pathOf(address: string): string {
  const [path = ""] = address.split("?");
  return path;
}

/** An agent's view of the team, another screen at the path of a player's own. */
const TEAM_VIEW = "/m/transaction/record?types=A";

/** Whether the brand has the page at an address; a page that its settings do not name is there. */
export function isPathOn(address: string, rules: MenuRules | undefined): boolean {
  if (rules === undefined) return true;
  const type = promotionAt(address);
  if (type === undefined) {
    return !rules.closedPaths.includes(address === TEAM_VIEW ? address : pathOf(address));
  }
  return rules.menuCheck.some(
    (entry) => entry.type === type && rules.promoAvailability[entry.key]?.enabled === true,
  );
}

/** Whether the page at an address is open to this player, or to a visitor. */
export function isOpenTo(
  address: string,
  session: SessionInfo | null,
  rules: MenuRules | undefined,
): boolean {
  // Agents earn by their teams.
  if (promotionAt(address) === "REFERRAL" && isAgent(session)) return false;
  return isPathOn(address, rules);
}

/** Whether this player, or a visitor, sees the entry that leads to an address. */
export function showsEntry(
  address: string,
  session: SessionInfo | null,
  rules: MenuRules | undefined,
): boolean {
  const type = promotionAt(address);
  // VIP and referral attract guests, even if the brand has them off.
  if (session === null && (type === "VIP" || type === "REFERRAL")) return true;
  return isOpenTo(address, session, rules);
}
