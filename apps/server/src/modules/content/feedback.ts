import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import type { Clock, Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Captchas } from "../identity/identity.ts";
import {
  type FeedbackRow,
  findFeedback,
  insertFeedback,
  type NewFeedback,
  type Sender,
} from "./feedback.store.ts";

export interface Feedback extends NewFeedback {
  readonly captchaId: string;
  readonly captcha: string;
}

export interface SentFeedback {
  readonly id: string;
  readonly sentAt: Instant;
}

export class FeedbackInbox {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #captchas: Pick<Captchas, "checkIn">;

  constructor(pool: pg.Pool, clock: Clock, captchas: Pick<Captchas, "checkIn">) {
    this.#pool = pool;
    this.#clock = clock;
    this.#captchas = captchas;
  }

  /**
   * Answers a repeated message as the first time, whatever became of its picture. Refuses with
   * `captcha_wrong`, or `id_reused` if the sender's id belongs to other words.
   * @param full why the sender may write no new message; its picture is not used up then
   */
  async send(
    sender: Sender,
    feedback: Feedback,
    full: Refusal | null = null,
  ): Promise<Result<SentFeedback, Refusal>> {
    // A picture that was read wrongly is used up, so a refusal is committed as well.
    return withTransaction(this.#pool, async (client) => {
      const before = await findFeedback(client, sender, feedback.id);
      if (before !== null) return answerOf(feedback, before);
      if (full !== null) return refuse(full);
      if (await this.#captchas.checkIn(client, sender.merchantId, "simple", feedback)) {
        await insertFeedback(client, sender, feedback, this.#clock.now());
        const written = await findFeedback(client, sender, feedback.id);
        return answerOf(feedback, present(written, "the message that was just written"));
      }
      // The same message may have used the picture up at this very moment: it has committed by now.
      const meanwhile = await findFeedback(client, sender, feedback.id);
      return meanwhile === null ? refuse(refusal("captcha_wrong")) : answerOf(feedback, meanwhile);
    });
  }
}

function answerOf(feedback: Feedback, row: FeedbackRow): Result<SentFeedback, Refusal> {
  const same = row.type === feedback.type && row.content === feedback.content;
  return same
    ? ok({ id: feedback.id, sentAt: row.sent_at.getTime() })
    : refuse(refusal("id_reused"));
}
