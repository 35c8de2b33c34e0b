import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

/** Whose message; every row is keyed by both. */
export interface Sender {
  readonly merchantId: string;
  readonly memberId: string;
  readonly username: string;
}

export interface NewFeedback {
  readonly id: string;
  readonly type: number;
  readonly content: string;
  readonly language: string;
}

export interface FeedbackRow {
  readonly type: number;
  readonly content: string;
  readonly sent_at: Date;
}

export async function findFeedback(
  client: pg.ClientBase,
  sender: Sender,
  id: string,
): Promise<FeedbackRow | null> {
  const { rows } = await client.query<FeedbackRow>(
    `SELECT type, content, sent_at FROM feedback
     WHERE merchant_id = $1 AND member_id = $2 AND id = $3`,
    [sender.merchantId, sender.memberId, id],
  );
  return rows[0] ?? null;
}

export async function insertFeedback(
  client: pg.ClientBase,
  sender: Sender,
  feedback: NewFeedback,
  at: Instant,
): Promise<void> {
  await client.query(
    `INSERT INTO feedback (merchant_id, member_id, id, sender, type, content, language, sent_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))
     ON CONFLICT (merchant_id, member_id, id) DO NOTHING`,
    [
      sender.merchantId,
      sender.memberId,
      feedback.id,
      sender.username,
      feedback.type,
      feedback.content,
      feedback.language,
      at,
    ],
  );
}
