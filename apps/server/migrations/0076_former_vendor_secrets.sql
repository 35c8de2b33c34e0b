-- A secret that was replaced is still accepted from the vendor for a time.
ALTER TABLE vendor_connections
  ADD COLUMN sealed_former_secret text,
  ADD COLUMN former_until timestamptz,
  ADD CHECK ((sealed_former_secret IS NULL) = (former_until IS NULL));
