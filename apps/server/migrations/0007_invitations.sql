-- A member's own code is looked up by the member when they invite.
CREATE INDEX invitation_codes_of_member ON invitation_codes (merchant_id, member_id, created_at, code);
