-- When the member last changed what proves who they are: a password, the address, the number, the
-- authenticator, or a passkey or an account outside that was taken off. What was asked for before is
-- not believed to be theirs.
ALTER TABLE members ADD COLUMN proofs_changed_at timestamptz;
