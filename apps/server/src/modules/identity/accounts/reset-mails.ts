import { present } from "@perya/kernel/assert";
import { CLOCKS_APART_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result } from "@perya/kernel/result";
import type pg from "pg";
import { z } from "zod";
import { mintToken } from "../../../platform/bearer-token.ts";
import type { NewJob, Task } from "../../../platform/jobs.ts";
import type { Mailer } from "../../../platform/mail/mail.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { type Merchant, originsOf } from "../../brand/brand.ts";
import {
  AbuseCounts,
  type Counted,
  inboxOf,
  limitsOfClaim,
  limitsOfMails,
  subjectOf,
} from "../defence/abuse-counts.ts";
import { TRUST_LEVELS } from "../defence/known-devices.ts";
import { resetMail } from "../defence/mail-texts.ts";
import {
  findMember,
  findMemberByName,
  hasNamedInboxFirst,
  lockMember,
  type MemberRow,
} from "../members/members.store.ts";
import { replaceMailLink } from "./mail-links.store.ts";

export const RESET_MAIL = "identity_reset_mail";
/** A link is valid so long after its mail; its mail is tried so long after the request. */
export const RESET_LINK_MS = 30 * MINUTE_MS;

/** As the caller gave it: it is looked up when the mail is made. */
const asking = z.object({
  merchantId: z.string(),
  username: z.string(),
  email: z.string(),
  address: z.string(),
  /** The asker's phone, if the member is known by it. */
  known: z
    .object({
      by: z.string(),
      standing: z.enum(TRUST_LEVELS),
    })
    .nullable()
    .default(null),
  language: z.string(),
  at: z.number(),
});
type Asking = z.infer<typeof asking>;

/**
 * The job that looks the two up and mails a link, for the transaction that counts the request: it
 * is the same for any input. A waiting one begins anew if the same asker repeats the request, since
 * only the newest link is valid.
 */
export function resetMailJob(asked: Asking): NewJob {
  const { merchantId, username, email, address, known } = asked;
  // A stranger behind the same address replaces no job of the owner's.
  const key = `${RESET_MAIL}:${merchantId}:${subjectOf(username, email, address, known?.by ?? "")}`;
  return { task: RESET_MAIL, payload: asked, key, runAt: null };
}

export interface ResetMailTaskOptions
  extends Pick<ModuleParts, "pool" | "clock" | "entropy" | "log"> {
  /** Null if this installation no longer sends mail. */
  readonly mailer: Mailer | null;
  readonly merchantById: (id: string) => Promise<Merchant | null>;
  readonly publicUrl: string;
}

/**
 * Mails a link if name and address belong together. Each try mints its own token, so that the job
 * table holds none; the link of an earlier try whose answer was lost is void. It fails if the mail
 * server cannot be reached, so that the job is tried again, later each time.
 */
export function resetMailTask(options: ResetMailTaskOptions): Task {
  const { pool, clock, log, mailer, merchantById, publicUrl } = options;
  const counts = new AbuseCounts(pool, clock);
  return async (payload) => {
    const asked = asking.parse(payload);
    const { language } = asked;
    const merchant = await merchantById(asked.merchantId);
    if (merchant === null || mailer === null) {
      log.error({ brand: asked.merchantId }, "a reset mail cannot be sent");
      return;
    }
    const account = await ownerOf(pool, asked);
    if (account === null) return;
    if (clock.now() - asked.at >= RESET_LINK_MS) {
      log.error({ brand: merchant.id }, "a reset mail was given up");
      return;
    }
    const counted = await countOnce(pool, counts, account, asked);
    if (!counted.ok) {
      log.warn({ brand: merchant.id }, "a reset mail was refused: its asker's are used up");
      return;
    }
    const token = await mintLink(options, account, asked);
    if (token === null) return;
    const letter = { merchant, language, to: account.email, username: account.username };
    const [origin] = originsOf(merchant, publicUrl);
    const url = `${origin}/m/reset?token=${token}`;
    const sent = await mailer.send(resetMail(letter, url, RESET_LINK_MS));
    // The mailer has logged each try; the address stays out of the log.
    if (sent.ok || sent.error === "refused") return;
    await counts.giveBack(merchant.id, counted.value);
    throw new Error("the mail server could not be asked");
  };
}

/**
 * Anybody may register many names with somebody's address, so mails to an unverified address are
 * limited. The phones of the member who named it first have a share of their own, and later ones
 * use up nothing of it. A request counts once, even if its tries are cut off half-way. Answers what
 * this try counted, to be given back if no mail leaves.
 */
async function countOnce(
  pool: pg.Pool,
  counts: AbuseCounts,
  account: MemberRow & { email: string },
  { merchantId, username, email, address, known, at }: Asking,
): Promise<Result<readonly Counted[], Instant>> {
  if (account.email_verified_at !== null) return ok([]);
  const asking = `reset:asking:${subjectOf(username, email, address, known?.by ?? "", String(at))}`;
  const before = await counts.spentOf(merchantId, [asking]);
  if ((before.get(asking) ?? 0) > 0) return ok([]);
  const inbox = `reset:inbox:${inboxOf(account.email)}`;
  const limits =
    known === null
      ? limitsOfMails(inbox, address)
      : limitsOfClaim(inbox, known, await hasNamedInboxFirst(pool, account));
  const once = { subject: asking, max: 1, windowMs: RESET_LINK_MS };
  return counts.spend(merchantId, [once, ...limits]);
}

async function ownerOf(
  pool: pg.Pool,
  { merchantId, username, email }: Asking,
): Promise<(MemberRow & { email: string }) | null> {
  const account = await findMemberByName(pool, merchantId, username);
  if (account === null || account.email === null) return null;
  const isTheirs = account.email.toLowerCase() === email.toLowerCase();
  return isTheirs ? { ...account, email: account.email } : null;
}

/** The token of a link that replaces the one before; null if the request is void by now. */
async function mintLink(
  { pool, clock, entropy }: ResetMailTaskOptions,
  { id, merchant_id: merchantId, email }: MemberRow & { email: string },
  asked: Asking,
): Promise<string | null> {
  const { token, hash } = mintToken(entropy);
  return withTransaction(pool, async (client) => {
    await lockMember(client, id);
    const now = clock.now();
    const { changed_at } = present(await findMember(client, merchantId, id), "a locked member");
    const changedAt = changed_at?.getTime() ?? 0;
    // A change voids earlier requests as it voids links. A change later than now was noted by a
    // clock that was ahead.
    if (changedAt >= asked.at && changedAt <= now + CLOCKS_APART_MS) return null;
    const link = { tokenHash: hash, merchantId, memberId: id, sessionId: null, email };
    const expiresAt = now + RESET_LINK_MS;
    await replaceMailLink(client, { ...link, purpose: "reset", expiresAt }, now);
    return token;
  });
}
