CREATE INDEX manual_receipts_look ON manual_receipts (look_at);
CREATE INDEX promotion_uploads_look ON promotion_uploads (look_at);
-- It looked for pictures that no application took alone.
DROP INDEX promotion_uploads_loose;
