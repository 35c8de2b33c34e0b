import { timingSafeEqual } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import {
  CLOCKS_APART_MS,
  type Clock,
  type Entropy,
  type Instant,
  MINUTE_MS,
  SECOND_MS,
  stillStands,
} from "@perya/kernel/instant";
import { currencyOf } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { hashOfToken, mintToken } from "../../../platform/bearer-token.ts";
import { Ends } from "../../../platform/ends.ts";
import { type Db, isUnavailable, withTransaction } from "../../../platform/postgres/pool.ts";
import type { HasHungUp } from "../../../platform/turns.ts";
import type { Merchant } from "../../brand/brand.ts";
import { callerOfType, TRIAL_TYPE } from "../members/member-type.ts";
import { lockMember, type MemberRow, noteLogin } from "../members/members.store.ts";
import {
  FRESH_MS,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  type Session,
  type SessionMethod,
} from "./session.ts";
import {
  endSession,
  endSessionByCookie,
  endSessionsOf,
  findSession,
  insertSession,
  listSessions,
  type OpenSession,
  readEnded,
  readIsOpen,
  readProvenAt,
  type SessionRow,
  touchSession,
  writeProvenAt,
} from "./sessions.store.ts";

/** A process that did not end a session itself may honour it for this much longer. */
const SESSION_CACHE_MS = SECOND_MS;
const SESSIONS_CACHED = 50_000;
const TOUCH_EVERY_MS = MINUTE_MS;
/** Characters that we store of a browser's user agent. */
export const USER_AGENT_MAX = 400;

/** The half in browser storage and the half in the cookie; both are needed. */
export interface Halves {
  readonly storage: string;
  readonly cookie: string | undefined;
}

export interface Device {
  readonly address: string;
  readonly userAgent: string;
  /** Host name that the browser asked for, without its port. */
  readonly host?: string;
  readonly token?: string | undefined;
  /** The value of its cookie of codes by SMS: see `Asker`. */
  readonly asker?: string | undefined;
  /** The cookie half of the session that the browser holds already. */
  readonly session?: string | undefined;
  readonly hasHungUp?: HasHungUp;
}

export interface LoggedIn {
  readonly member: { readonly id: string; readonly username: string; readonly type: number };
  readonly halves: { readonly storage: string; readonly cookie: string };
  readonly firstLogin: boolean;
  /** The device cookie from now on; null leaves it as it is. */
  readonly deviceToken: string | null;
}

/** `replaced`: the browser that held it has another by now, so nothing has ended for its player. */
type SessionEnd = "ended" | "replaced";
type Named = Pick<Session, "id" | "memberId">;
type Work<T> = (client: pg.ClientBase) => Promise<Result<T, Refusal>>;
type EndListener = (sessionId: string, how: SessionEnd) => void;

/** A log-in was judged by a password, or by whether a second factor is needed, that has changed. */
export class FactorsChanged extends Error {
  override name = "FactorsChanged";
}

/** Locks the member; throws FactorsChanged if their password differs from when it was read. */
export async function stillHas(client: pg.ClientBase, member: MemberRow): Promise<void> {
  const changedAt = await lockMember(client, member.id);
  if (changedAt !== (member.password_changed_at?.getTime() ?? null)) throw new FactorsChanged();
}

/** Who is logged in, from the halves that a browser holds to their row. */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #cache = new LRUCache<string, { row: SessionRow; until: Instant }>({
    max: SESSIONS_CACHED,
    noDisposeOnSet: true,
    dispose: ({ row }) => this.#names.delete(row.session_id),
  });
  /** The name under which a session is cached, so that its end searches no others. */
  readonly #names = new Map<string, string>();
  readonly #endListeners: EndListener[] = [];
  /** When this process tries again to note who was seen; null if the last try succeeded. */
  #touchesFrom: Instant | null = null;
  readonly #ends = new Ends();

  constructor(pool: pg.Pool, clock: Clock, entropy: Entropy) {
    this.#pool = pool;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /**
   * Begins a session of a member who has just proved who they are, and ends the one that the same
   * browser held, also another member's.
   * @param member as read before the proof was judged
   * @param also what is written with the session, or neither
   * @throws FactorsChanged if the member has a new password since, which ended all sessions
   */
  async start(
    member: MemberRow,
    device: Device,
    method: SessionMethod,
    also: (client: pg.ClientBase) => Promise<void> = async () => undefined,
  ): Promise<LoggedIn> {
    const [storage, cookie] = [mintToken(this.#entropy), mintToken(this.#entropy)];
    const now = this.#clock.now();
    const session = {
      id: mintId("session", now, this.#entropy.bytes(16)),
      merchantId: member.merchant_id,
      memberId: member.id,
      storageHalfHash: storage.hash,
      cookieHalfHash: cookie.hash,
      userAgent: device.userAgent.slice(0, USER_AGENT_MAX),
      address: device.address,
      method,
      expiresAt: now + SESSION_ABSOLUTE_MS,
    };
    const { firstLogin, replaced } = await withTransaction(this.#pool, async (client) => {
      await stillHas(client, member);
      await also(client);
      const held = device.session === undefined ? null : hashOfToken(device.session);
      const replaced = held && (await endSessionByCookie(client, session.merchantId, held, now));
      await insertSession(client, session, now);
      return { firstLogin: await noteLogin(client, member.id, now), replaced };
    });
    if (replaced !== null) this.#forget(replaced, "replaced");
    const { id, username, type } = member;
    const halves = { storage: storage.token, cookie: cookie.token };
    return { member: { id, username, type }, halves, firstLogin, deviceToken: null };
  }

  /**
   * The session that both halves name. Null means that it is unknown; a refusal, that it existed
   * and ended. One merchant's session never opens another's.
   */
  async find(merchant: Merchant, halves: Halves): Promise<Result<Session, Refusal> | null> {
    const storageHash = hashOfToken(halves.storage);
    const name = `${merchant.id} ${storageHash.toString("base64")}`;
    const now = this.#clock.now();
    const cached = this.#cache.get(name);
    const row =
      cached !== undefined && stillStands(cached.until, now, SESSION_CACHE_MS)
        ? cached.row
        : await this.#read(merchant, storageHash, name, now);
    if (row === null) return null;
    if (halves.cookie === undefined) return refuse(refusal("session_ended"));
    if (!timingSafeEqual(row.cookie_half_hash, hashOfToken(halves.cookie))) {
      return refuse(refusal("session_ended"));
    }
    const idle = row.seen_at.getTime() + SESSION_IDLE_MS < now;
    if (row.ended_at !== null || row.expires_at.getTime() <= now || idle) {
      return refuse(refusal("session_ended"));
    }
    if (row.seen_at.getTime() + TOUCH_EVERY_MS < now) await this.#touch(row, name, now);
    return ok(sessionOf(row));
  }

  /**
   * Notes that it was seen. If that fails, callers that only read go on, and one session a minute
   * tries again: a database that takes no writes costs each try its connection.
   */
  async #touch({ session_id: id }: SessionRow, name: string, now: Instant): Promise<void> {
    if (this.#touchesFrom !== null) {
      if (stillStands(this.#touchesFrom, now, TOUCH_EVERY_MS)) return;
      this.#touchesFrom = now + TOUCH_EVERY_MS;
    }
    try {
      await touchSession(this.#pool, id, now);
      this.#touchesFrom = null;
      this.#cache.delete(name);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#touchesFrom = now + TOUCH_EVERY_MS;
    }
  }

  async #read(
    merchant: Merchant,
    storageHash: Buffer,
    name: string,
    now: Instant,
  ): Promise<SessionRow | null> {
    const { found } = await this.#ends.keepFound(
      () => findSession(this.#pool, merchant.id, storageHash),
      (row) => row?.session_id ?? null,
      (row) => {
        if (row === null) return;
        this.#cache.set(name, { row, until: now + SESSION_CACHE_MS });
        this.#names.set(row.session_id, name);
      },
    );
    return found;
  }

  /**
   * Until when the player's latest proof of who they are is valid. The log-in is none, except for
   * an account that has nothing else: a person who takes a session over has it too. Reads the row,
   * not the cache: another process may have taken the proof.
   */
  async freshUntil(sessionId: string, db: Db = this.#pool): Promise<Instant> {
    return (await readProvenAt(db, sessionId)) + FRESH_MS;
  }

  async isFresh(sessionId: string, db: Db = this.#pool): Promise<boolean> {
    const until = await this.freshUntil(sessionId, db);
    return stillStands(until, this.#clock.now(), FRESH_MS + CLOCKS_APART_MS);
  }

  /**
   * Refuses a session in which nobody has lately proved that it is theirs, however fresh its
   * log-in. For an account with nothing to prove by, the log-in counts.
   */
  async admitFresh(
    { id }: Pick<Session, "id">,
    db: Db = this.#pool,
  ): Promise<Result<void, Refusal>> {
    return (await this.isFresh(id, db)) ? ok(undefined) : refuse(refusal("fresh_login_needed"));
  }

  /**
   * Locks the session's member, for work done in it by a proof of the same call: the proof took its
   * time, and its owner may have ended the session meanwhile. Refuses with `session_ended`.
   */
  async lockOpen(client: pg.ClientBase, session: Named): Promise<Result<void, Refusal>> {
    await lockMember(client, session.memberId);
    const isOpen = await readIsOpen(client, session.id);
    return isOpen ? ok(undefined) : refuse(refusal("session_ended"));
  }

  /**
   * As `lockOpen`, for work done in it because it is fresh: what proved it may have been
   * removed meanwhile. Can also refuse with `fresh_login_needed`.
   */
  async lockFresh(client: pg.ClientBase, session: Named): Promise<Result<void, Refusal>> {
    const open = await this.lockOpen(client, session);
    if (!open.ok) return open;
    return this.admitFresh(session, client);
  }

  /** Work done in a session because it is fresh, in one transaction; refuses as `lockFresh` does. */
  whileFresh<T>(session: Named, work: Work<T>): Promise<Result<T, Refusal>> {
    return withTransaction(this.#pool, async (client) => {
      const still = await this.lockFresh(client, session);
      return still.ok ? work(client) : still;
    });
  }

  /** Work done in it by a proof of the same call; refuses as `lockOpen` does. */
  whileOpen<T>(session: Named, work: Work<T>): Promise<Result<T, Refusal>> {
    return withTransaction(this.#pool, async (client) => {
      const still = await this.lockOpen(client, session);
      return still.ok ? work(client) : still;
    });
  }

  /** Notes that the player has just proved who they are; answers until when that is valid. */
  async prove(sessionId: string, db: Db = this.#pool): Promise<Instant> {
    const now = this.#clock.now();
    await writeProvenAt(db, sessionId, now);
    return now + FRESH_MS;
  }

  async of(memberId: string): Promise<OpenSession[]> {
    const now = this.#clock.now();
    return listSessions(this.#pool, memberId, now, now - SESSION_IDLE_MS);
  }

  async end(sessionId: string): Promise<void> {
    await endSession(this.#pool, sessionId, this.#clock.now());
    this.forget(sessionId);
  }

  /** As its owner does from elsewhere: its requests may not be theirs; see `endedByOwnerAt`. */
  async shutOut(sessionId: string): Promise<void> {
    await endSession(this.#pool, sessionId, this.#clock.now(), true);
    this.forget(sessionId);
  }

  /** Ends all sessions of a member except `except`; answers how many ended. */
  async endAll(memberId: string, except: string | null): Promise<number> {
    const ended = await endSessionsOf(this.#pool, memberId, except, this.#clock.now());
    for (const id of ended) this.forget(id);
    return ended.length;
  }

  /** Drops a session from this process's cache and closes its sockets. */
  forget(sessionId: string): void {
    this.#forget(sessionId, "ended");
  }

  /** Drops a session from this process's cache, and tells nobody. */
  dropFromCache(sessionId: string): void {
    this.#ends.note(sessionId);
    const name = this.#names.get(sessionId);
    if (name !== undefined) this.#cache.delete(name);
  }

  async endedOf(sessionIds: readonly string[]): Promise<string[]> {
    const now = this.#clock.now();
    return readEnded(this.#pool, sessionIds, now, now - SESSION_IDLE_MS);
  }

  #forget(sessionId: string, how: "ended" | "replaced"): void {
    this.dropFromCache(sessionId);
    for (const listener of this.#endListeners) listener(sessionId, how);
  }

  onEnded(listener: EndListener): void {
    this.#endListeners.push(listener);
  }
}

function sessionOf(row: SessionRow): Session {
  const currency = row.type === TRIAL_TYPE ? "FUN" : currencyOf(row.currency);
  return {
    id: row.session_id,
    merchantId: row.merchant_id,
    memberId: row.id,
    username: row.username,
    nickname: row.nickname,
    type: row.type,
    caller: callerOfType(row.type),
    currency,
    blocked: row.blocked,
    createdAt: row.session_created_at.getTime(),
  };
}
