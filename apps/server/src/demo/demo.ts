import { hash as hashPassword } from "@node-rs/argon2";
import { mintId } from "@perya/kernel/ids";
import type { Clock } from "@perya/kernel/instant";
import { DAY_MS } from "@perya/kernel/instant";
import type pg from "pg";
import type { Brands, Merchant } from "../modules/brand/brand.ts";
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

export interface DemoAccount {
  readonly username: string;
  readonly password: string;
  readonly note?: string;
}

/** Known to everyone who reads the source; the demo is never loaded in production. */
const PASSWORD = "Fiesta2026";

interface DemoMember {
  readonly username: string;
  readonly nickname: string;
  readonly type: number;
  readonly habit: Habit;
  readonly note?: string;
  /** Whoever registers with it joins this member's team. */
  readonly invitationCode?: string;
}

const MEMBERS: readonly DemoMember[] = [
  member("maria", "Maria", 0, habit(70, 200_000n, 14, 1_500n), "member with 90 days of history"),
  member("jun", "Jun-Jun", 0, habit(45, 100_000n, 12, 700n), "member"),
  member("tess", "Aling Tess", 0, habit(60, 50_000n, 12, 500n)),
  member("dado", "Mang Dado", 0, habit(35, 500_000n, 12, 4_000n)),
  member("bea", "Bea", 0, habit(25, 20_000n, 8, 200n)),
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
  member("boyet", "Kuya Boyet", 2, habit(20, 50_000n, 5, 200n), "sub-agent"),
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

export interface DemoDependencies {
  readonly pool: pg.Pool;
  readonly brands: Brands;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly promotions: Promotions;
}

/** Loads the demo brand, its games and its people once; later starts only name the accounts. */
export async function loadDemoBrand(deps: DemoDependencies): Promise<DemoAccount[]> {
  const { pool, brands, clock, log } = deps;
  const now = clock.now();
  let merchant = await brands.byId(demoBrand.id);
  if (merchant === null) {
    log.info("loading the demo brand");
    merchant = await withTransaction(pool, async (client) => {
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
  await loadMembers(deps, merchant);
  return MEMBERS.flatMap(({ username, note }) =>
    note === undefined ? [] : [{ username, password: PASSWORD, note }],
  );
}

/** Members side by side, so their commands share the ledger's batches. */
async function loadMembers(deps: DemoDependencies, merchant: Merchant): Promise<void> {
  const known = await Promise.all(
    MEMBERS.map(({ username }) => findMemberByName(deps.pool, merchant.id, username)),
  );
  if (known.every((row) => row !== null)) return;
  deps.log.info("living through 90 days of history");
  const passwordHash = await hashPassword(PASSWORD);
  const missing = MEMBERS.filter((_, i) => known[i] === null);
  const players = await Promise.all(
    missing.map((one) => loadMember(deps, merchant, one, passwordHash)),
  );
  const { pool, ledger, clock } = deps;
  await drawThrough({ pool, ledger, now: clock.now() }, merchant, players);
  await rainThrough({ pool, ledger, now: clock.now() }, merchant, players);
}

async function loadMember(
  { pool, ledger, clock, promotions }: DemoDependencies,
  merchant: Merchant,
  { username, nickname, type, habit: lives, invitationCode }: DemoMember,
  passwordHash: string,
): Promise<Session> {
  const now = clock.now();
  const bornAt = now - 91 * DAY_MS;
  const id = mintId("member", bornAt, demoEntropy(`member ${username}`).bytes(16));
  const account = accountOf(id, merchant.currency);
  await withTransaction(pool, async (client) => {
    const fresh = {
      id,
      merchantId: merchant.id,
      username,
      nickname,
      email: `${username}@example.com`,
      birthday: null,
      affiliateCode: null,
      type,
      passwordHash,
    };
    if (!(await insertMember(client, fresh, bornAt))) return;
    const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
    await ledger.open(client, account, owner, bornAt);
    if (invitationCode === undefined) return;
    const invitation = { merchantId: merchant.id, code: invitationCode, memberId: id };
    await insertInvitationCode(client, invitation, bornAt);
  });
  const session = {
    id: "demo",
    merchantId: merchant.id,
    memberId: id,
    username,
    nickname,
    type,
    caller: callerOfType(type),
    currency: merchant.currency,
    blocked: false,
    createdAt: bornAt,
    freshAt: bornAt,
  };
  if (username === "maria") await applyForPromotions(promotions, merchant, session);
  await liveThrough({ pool, ledger }, merchant, session, lives, now);
  return session;
}
