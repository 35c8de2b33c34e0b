-- Withdrawals go out by rule within a sum of the wide block of addresses too.

ALTER TABLE withdrawals
  -- The /48 of the IPv6 address that stands for the browser that asked; null for a known device.
  ADD COLUMN network text COLLATE "C";
