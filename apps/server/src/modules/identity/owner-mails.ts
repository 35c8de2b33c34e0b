import type { Clock, Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Mail } from "../../platform/mail/mail.ts";
import type { MailQueue } from "../../platform/mail/mail-queue.ts";
import type { Merchant } from "../brand/brand.ts";
import { findAccount } from "./account.store.ts";
import type { Letter } from "./mail-texts.ts";

export interface OwnerMailsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** Null: this installation sends no mail. */
  readonly mails: MailQueue | null;
}

/**
 * Tells an account's owner what was done to it, since they may not be the one who did it. Nobody
 * waits for such a mail.
 */
export class OwnerMails {
  readonly #options: OwnerMailsOptions;

  constructor(options: OwnerMailsOptions) {
    this.#options = options;
  }

  /** To the address that the member has verified; none goes to one that is only claimed. */
  tell(
    merchant: Merchant,
    memberId: string,
    language: string,
    mail: (letter: Letter, at: Instant) => Mail,
  ): void {
    const { pool, clock, mails } = this.#options;
    const at = clock.now();
    mails?.post(async () => {
      const account = await findAccount(pool, merchant.id, memberId);
      if (account === null || account.email === null || account.email_verified_at === null) {
        return null;
      }
      return mail({ merchant, language, to: account.email, username: account.username }, at);
    });
  }

  /** To an address that is known already, such as the one that was the account's until now. */
  tellAt(letter: Letter, mail: (letter: Letter, at: Instant) => Mail): void {
    const { clock, mails } = this.#options;
    const made = mail(letter, clock.now());
    mails?.post(async () => made);
  }
}
