-- Of what has not ended yet.
INSERT INTO payout_releases
  SELECT c.subject, c.operator_id, min(c.at), max(r.at)
  FROM operator_actions c JOIN operator_actions r
    ON r.subject = c.subject AND r.action = 'payout.release' AND r.at >= c.at
  WHERE c.action = 'payout.claim'
    AND c.subject IN (SELECT id FROM withdrawals WHERE state IN ('held', 'approved', 'sent'))
  GROUP BY c.subject, c.operator_id;

CREATE INDEX manual_payouts_waiting ON manual_payouts (merchant_id, queued_at, withdrawal_id)
  WHERE state IN ('queued', 'claimed', 'marked', 'marked_failed', 'marked_released');
DROP INDEX manual_payouts_open;
