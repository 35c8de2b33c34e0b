-- When the member last changed what proves who they are: a password, the address, the number, the
-- authenticator, or a passkey or an account outside that was taken off. What was asked for before is
-- not believed to be theirs.
ALTER TABLE members ADD COLUMN proofs_changed_at timestamptz;

-- When the sweep looks next whether a picture is still needed; those of before it looks at first.
ALTER TABLE manual_receipts ADD COLUMN look_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE promotion_uploads ADD COLUMN look_at timestamptz NOT NULL DEFAULT now();

-- How much a member's pictures came to in a day of UTC, as they are kept.
CREATE TABLE picture_days (
  day       date   NOT NULL,
  member_id text   COLLATE "C" NOT NULL,
  bytes     bigint NOT NULL,
  PRIMARY KEY (day, member_id)
);
