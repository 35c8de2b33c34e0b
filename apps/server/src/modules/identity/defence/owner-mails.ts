import { type Clock, DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { z } from "zod";
import { addJob, type NewJob, type Task } from "../../../platform/jobs.ts";
import type { Mailer } from "../../../platform/mail/mail.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { findMember } from "../members/members.store.ts";
import { spendIn } from "./abuse-counts.ts";
import { newsMail, type OwnerNews, ownerNews } from "./owner-news.ts";

export const OWNER_MAIL = "identity_owner_mail";
/** What an account holds for a day waits for the owner's reaction, so the mail is tried as long. */
const TRIED_FOR_MS = DAY_MS;
/**
 * So many mails an hour of one kind of news are sent at once. A mail at the hour's end tells each
 * later thing once, in its last state. So nobody floods the inbox or the slot that all owners
 * share, and no news is lost.
 */
const AT_ONCE_PER_HOUR = 5;
/** Withdrawals are announced before a refusal for lack of money, and those count as well. */
const DESTINATIONS_AT_ONCE_PER_HOUR = 20;

const ownerMail = z.object({
  merchantId: z.string(),
  language: z.string(),
  to: z.string(),
  username: z.string(),
  at: z.number(),
  news: ownerNews,
});

export interface Owned {
  readonly merchant: Merchant;
  readonly memberId: string;
  readonly language: string;
}

/**
 * Tells an account's owner what was done to it, since they may not be the one who did it. The mail
 * is a job that is added in the transaction of the act, so it survives this process and a lost
 * answer.
 */
export class OwnerMails {
  readonly #clock: Clock;
  readonly #areSent: boolean;

  /** @param areSent false if this installation sends no mail */
  constructor(clock: Clock, areSent: boolean) {
    this.#clock = clock;
    this.#areSent = areSent;
  }

  /** In the transaction of the act; see `jobFor`. */
  async tell(
    client: pg.ClientBase,
    owned: Owned,
    news: OwnerNews,
    knownAs: string | null = null,
  ): Promise<void> {
    const job = await this.jobFor(client, owned, news, knownAs);
    if (job !== null) await addJob(client, job);
  }

  /**
   * The job that tells it, for the transaction of the act. It goes to the address that the member
   * has verified at this moment, even if the account changes before it is sent, or to a given
   * address known to be theirs; null if there is none. The same news at the same instant is sent
   * once. It counts against the hour's limit, so call it only if the job is added. News that waits
   * for the hour's end is sent once per `thing`, by default the news itself: two numbers may look
   * the same when masked.
   */
  async jobFor(
    client: pg.ClientBase,
    { merchant, memberId, language }: Owned,
    news: OwnerNews,
    knownAs: string | null = null,
    thing: string = JSON.stringify(news),
  ): Promise<NewJob | null> {
    if (!this.#areSent) return null;
    const account = await findMember(client, merchant.id, memberId);
    if (account === null) return null;
    const to = knownAs ?? (account.email_verified_at === null ? null : account.email);
    if (to === null) return null;
    const at = this.#clock.now();
    const { username } = account;
    const payload = { merchantId: merchant.id, language, to, username, at, news };
    const kind = `${OWNER_MAIL}:${memberId}:${news.what}`;
    const max = news.what === "newDestination" ? DESTINATIONS_AT_ONCE_PER_HOUR : AT_ONCE_PER_HOUR;
    const limit = { subject: kind, max, windowMs: HOUR_MS };
    const counted = await spendIn(client, merchant.id, [limit], at);
    return {
      task: OWNER_MAIL,
      payload: payload satisfies z.infer<typeof ownerMail>,
      key: counted.ok
        ? `${OWNER_MAIL}:${memberId}:${at}:${JSON.stringify(news)}`
        : `${kind}:${thing}`,
      runAt: counted.ok ? null : counted.error,
    };
  }
}

export interface OwnerMailTaskOptions extends Pick<ModuleParts, "clock" | "log"> {
  /** Null if this installation no longer sends mail. */
  readonly mailer: Mailer | null;
  readonly merchantById: (id: string) => Promise<Merchant | null>;
}

/**
 * Sends one mail to an owner. It fails if the mail server cannot be reached, so that the job is
 * tried again, later each time, for a day; a mail whose answer was lost arrives twice.
 */
export function ownerMailTask({ mailer, clock, log, merchantById }: OwnerMailTaskOptions): Task {
  return async (payload) => {
    const { merchantId, language, to, username, at, news } = ownerMail.parse(payload);
    const merchant = await merchantById(merchantId);
    if (merchant === null || mailer === null) {
      log.error({ what: news.what }, "a mail to an owner cannot be sent");
      return;
    }
    const sent = await mailer.send(newsMail({ merchant, language, to, username }, news, at));
    // The mailer has logged each try; the address stays out of the log.
    if (sent.ok || sent.error === "refused") return;
    if (clock.now() - at < TRIED_FOR_MS) throw new Error("the mail server could not be asked");
    log.error({ what: news.what }, "a mail to an owner was given up");
  };
}
