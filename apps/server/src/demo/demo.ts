import { hash as hashPassword } from "@node-rs/argon2";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import type { Clock } from "@perya/kernel/instant";
import { DAY_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { type Brands, hasBrand, type Merchant } from "../modules/brand/brand.ts";
import { insertGames, insertLiveModels, insertVendors } from "../modules/catalogue/catalogue.ts";
import { insertAnnouncements, insertHelpEntries } from "../modules/content/content.ts";
import {
  callerOfType,
  findMemberByName,
  insertInvitationCode,
  insertMember,
  type Session,
} from "../modules/identity/identity.ts";
import { accountOf, type Ledger } from "../modules/ledger/ledger.ts";
import type { Promotions } from "../modules/promotions/promotions.ts";
import type { Logger } from "../platform/log.ts";
import { withTransaction } from "../platform/postgres/pool.ts";
import { demoAnnouncements } from "./demo-announcements.ts";
import { demoBrand } from "./demo-brand.ts";
import { demoGames, demoLiveModels, demoVendors } from "./demo-catalogue.ts";
import { demoEntropy } from "./demo-entropy.ts";
import { demoHelp } from "./demo-help.ts";
import { type Habit, liveThrough } from "./demo-history.ts";
import { drawThrough } from "./demo-lottery.ts";
import { applyForPromotions, demoPromotions } from "./demo-promotions.ts";
import { rainThrough } from "./demo-red-rain.ts";
import { hasOfferedAll, offerContracts } from "./demo-team.ts";

export interface DemoAccount {
  readonly username: string;
  readonly password: string;
  readonly note?: string;
}

/** Known to everyone who reads the source; the demo is never loaded in production. */
const PASSWORD = "Fiesta2026";

/** Money that moved stays moved, so half a history can be neither finished nor begun anew. */
const CUT_OFF =
  "the demo is not whole: its load was cut off, or another process is loading it just now; " +
  "where none is, delete the data folder (DATA_DIR, else .perya) or empty the database";

const BORN_BEFORE_MS = 91 * DAY_MS;

interface DemoMember {
  readonly username: string;
  readonly nickname: string;
  readonly type: number;
  readonly habit: Habit;
  readonly note?: string;
  /** Players who register with it join this member's team. */
  readonly invitationCode?: string;
  /** The member in whose team they are, right below. */
  readonly invitedBy?: string;
}

/** Invited members come after their inviters. */
const MEMBERS: readonly DemoMember[] = [
  member("maria", "Maria", 0, habit(70, 200_000n, 14, 1_500n), "member with 90 days of history"),
  {
    ...member(
      "linda",
      "Ate Linda",
      1,
      habit(20, 100_000n, 5, 500n),
      "agent, invites with LINDA2026",
    ),
    invitationCode: "LINDA2026",
  },
  {
    ...member("boyet", "Kuya Boyet", 2, habit(20, 50_000n, 5, 200n), "sub-agent of linda"),
    invitedBy: "linda",
  },
  {
    ...member("jun", "Jun-Jun", 0, habit(45, 100_000n, 12, 700n), "member of boyet's team"),
    invitedBy: "boyet",
  },
  { ...member("tess", "Aling Tess", 0, habit(60, 50_000n, 12, 500n)), invitedBy: "linda" },
  { ...member("dado", "Mang Dado", 0, habit(35, 500_000n, 12, 4_000n)), invitedBy: "boyet" },
  { ...member("bea", "Bea", 0, habit(25, 20_000n, 8, 200n)), invitedBy: "dado" },
];

function member(
  username: string,
  nickname: string,
  type: number,
  lives: Habit,
  note?: string,
): DemoMember {
  const made = { username, nickname, type, habit: lives };
  return note === undefined ? made : { ...made, note };
}

function habit(
  playsPercent: number,
  depositMinor: bigint,
  roundsADay: number,
  stakeMinor: bigint,
): Habit {
  return { playsPercent, depositMinor, roundsADay, stakeMinor };
}

export function hasDemo(db: pg.Pool | pg.ClientBase): Promise<boolean> {
  return hasBrand(db, demoBrand.id);
}

export interface DemoDependencies {
  readonly pool: pg.Pool;
  readonly brands: Brands;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly promotions: Promotions;
  /** Cuts the load off; the next load sees that it is not complete. */
  readonly stopping: AbortSignal;
}

/**
 * Loads the demo brand, its games and its people once; later starts only name the accounts. If its
 * row is at fault it stays as it is, closed, and every other brand is served.
 */
export async function loadDemoBrand(deps: DemoDependencies): Promise<DemoAccount[]> {
  const { pool, brands } = deps;
  // Read with all others: a fault is logged and not thrown.
  const merchant = (await hasDemo(pool))
    ? (await brands.all()).find(({ id }) => id === demoBrand.id)
    : await addBrand(deps);
  if (merchant === undefined) return [];
  await loadMembers(deps, merchant);
  return MEMBERS.flatMap(({ username, note }) =>
    note === undefined ? [] : [{ username, password: PASSWORD, note }],
  );
}

function addBrand({ pool, brands, clock, log }: DemoDependencies): Promise<Merchant> {
  log.info("loading the demo brand");
  const now = clock.now();
  return withTransaction(pool, async (client) => {
    const added = await brands.add(client, demoBrand);
    await insertVendors(client, added.id, demoVendors);
    const games = demoGames();
    await insertGames(client, added.id, games);
    await insertLiveModels(client, added.id, demoLiveModels(games));
    await insertAnnouncements(client, added.id, demoAnnouncements(now));
    await insertHelpEntries(client, added.id, demoHelp());
    await insertAnnouncements(client, added.id, demoPromotions(now));
    return added;
  });
}

/** Members are loaded at the same time, so their commands share the ledger's batches. */
async function loadMembers(deps: DemoDependencies, merchant: Merchant): Promise<void> {
  const known = await Promise.all(
    MEMBERS.map(({ username }) => findMemberByName(deps.pool, merchant.id, username)),
  );
  const agent = known.find((row) => row?.username === "linda");
  if (agent && (await hasOfferedAll(deps.pool, merchant, agent.id))) return;
  if (known.some((row) => row !== null)) throw new Error(CUT_OFF);
  deps.log.info("living through 90 days of history");
  const passwordHash = await hashPassword(PASSWORD);
  const ids = new Map<string, string>();
  for (const one of MEMBERS) {
    const inviter = one.invitedBy === undefined ? null : (ids.get(one.invitedBy) ?? null);
    ids.set(one.username, await openMember(deps, merchant, one, inviter, passwordHash));
  }
  const players = await Promise.all(MEMBERS.map((one) => liveMember(deps, merchant, one, ids)));
  const { pool, ledger, clock, stopping } = deps;
  await drawThrough({ pool, ledger, stopping, now: clock.now() }, merchant, players);
  await rainThrough({ pool, ledger, stopping, now: clock.now() }, merchant, players);
  stopping.throwIfAborted();
  const [upline, downline] = ["linda", "boyet"].map((name) =>
    players.find(({ username }) => username === name),
  );
  if (upline === undefined || downline === undefined) return;
  // Written last: if it exists, everything does.
  await offerContracts(pool, merchant, { upline, downline }, clock.now());
}

async function openMember(
  { pool, ledger, clock }: DemoDependencies,
  merchant: Merchant,
  { username, nickname, type, invitationCode }: DemoMember,
  recommenderId: string | null,
  passwordHash: string,
): Promise<string> {
  const bornAt = clock.now() - BORN_BEFORE_MS;
  const id = mintId("member", bornAt, demoEntropy(`member ${username}`).bytes(16));
  await withTransaction(pool, async (client) => {
    const fresh = {
      id,
      merchantId: merchant.id,
      username,
      nickname,
      email: `${username}@example.com`,
      // Gifts of the house are only for members who have verified a number.
      mobile: { dialingCode: "+63", mobileNum: numberOf(username) },
      mobileVerified: true,
      birthday: null,
      affiliateCode: null,
      type,
      passwordHash,
      recommenderId,
    };
    if (!(await insertMember(client, fresh, bornAt))) return;
    const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
    await ledger.open(client, accountOf(id, merchant.currency), owner, bornAt);
    if (invitationCode === undefined) return;
    const invitation = { merchantId: merchant.id, code: invitationCode, memberId: id };
    await insertInvitationCode(client, invitation, bornAt);
  });
  return id;
}

async function liveMember(
  { pool, ledger, clock, promotions, stopping }: DemoDependencies,
  merchant: Merchant,
  { username, nickname, type, habit: lives }: DemoMember,
  ids: ReadonlyMap<string, string>,
): Promise<Session> {
  const now = clock.now();
  const bornAt = now - BORN_BEFORE_MS;
  const session = {
    id: "demo",
    merchantId: merchant.id,
    memberId: present(ids.get(username), "the id of a demo member"),
    username,
    nickname,
    type,
    caller: callerOfType(type),
    currency: merchant.currency,
    blocked: false,
    createdAt: bornAt,
  };
  if (username === "maria") await applyForPromotions(promotions, merchant, session);
  await liveThrough({ pool, ledger, stopping }, merchant, session, lives, now);
  return session;
}

/** Of the digits that no carrier issues here. */
function numberOf(username: string): string {
  const place = MEMBERS.findIndex((one) => one.username === username);
  return `91700${String(90_000 + place)}`;
}
