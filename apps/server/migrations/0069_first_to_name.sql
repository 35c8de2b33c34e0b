-- Who named an inbox first is asked where nobody has proven it. It does so with the account: one
-- that is changed later is proven by that.
CREATE INDEX members_email_named ON members (merchant_id, lower(email), created_at, id)
  WHERE email IS NOT NULL;
