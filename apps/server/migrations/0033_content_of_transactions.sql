-- An outside vendor's transaction id stands for all that was said under it, not for its money alone:
-- a SHA-256 of the call, written with the entries that it made. Null in what stood before: such a
-- repeat is compared by its entries, as it was.
ALTER TABLE vendor_transactions ADD COLUMN content bytea;
