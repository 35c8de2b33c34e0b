-- One flight at a time, however many processes think that they fly the kite: of several,
-- all but the first are voided, and their stakes go back.
UPDATE saranggola_rounds SET phase = 'voided', ended_at = now(),
    starts_at = CASE phase WHEN 'waiting' THEN greatest(starts_at, now()) ELSE starts_at END
  WHERE phase IN ('waiting', 'flying') AND number > (
    SELECT min(number) FROM saranggola_rounds WHERE phase IN ('waiting', 'flying'));
CREATE UNIQUE INDEX saranggola_rounds_unfinished ON saranggola_rounds ((true))
  WHERE phase IN ('waiting', 'flying');
