-- The multiplier at which a bet was first asked to be cashed out, in hundredths: what two processes
-- are asked counts once, and what was asked for in time is paid though its wallet was busy.
ALTER TABLE saranggola_bets ADD COLUMN asked_hundredths integer;
