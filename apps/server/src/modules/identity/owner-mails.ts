import type { Clock, Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Mail } from "../../platform/mail/mail.ts";
import type { MailQueue } from "../../platform/mail/mail-queue.ts";
import type { Merchant } from "../brand/brand.ts";
import { type AccountRow, findAccount } from "./account.store.ts";
import type { Letter } from "./mail-texts.ts";

export interface OwnerMailsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** Null: this installation sends no mail. */
  readonly mails: MailQueue | null;
}

interface Telling {
  readonly knownAs?: string | null;
  readonly ifStill?: (account: AccountRow) => boolean | Promise<boolean>;
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

  /**
   * To the address that the member has verified, none to one that is only claimed, or to one that
   * is known to be theirs. `ifStill` is asked of the account where nobody knows whether it was done.
   */
  tell(
    merchant: Merchant,
    memberId: string,
    language: string,
    mail: (letter: Letter, at: Instant) => Mail,
    { knownAs = null, ifStill = () => true }: Telling = {},
  ): void {
    const { pool, clock, mails } = this.#options;
    const at = clock.now();
    mails?.post(async () => {
      const account = await findAccount(pool, merchant.id, memberId);
      if (account === null || !(await ifStill(account))) return null;
      const to = knownAs ?? (account.email_verified_at === null ? null : account.email);
      return to === null ? null : mail({ merchant, language, to, username: account.username }, at);
    });
  }

  /** To an address that is known already, such as the one that was the account's until now. */
  tellAt(letter: Letter, mail: (letter: Letter, at: Instant) => Mail): void {
    const { clock, mails } = this.#options;
    const made = mail(letter, clock.now());
    mails?.post(async () => made);
  }
}
