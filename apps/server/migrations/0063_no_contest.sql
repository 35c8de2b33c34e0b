-- As the rule returns; the figure was cut off by what 52 bits fall short of it.
UPDATE games SET rtp = '99.00' WHERE house_game = 'saranggola' AND rtp = '98.99';
-- Up to which pay of a peso, in centavos, a fight's pools are no contest: 100 in one of before.
ALTER TABLE cockfight_matches ADD COLUMN no_contest_up_to smallint NOT NULL DEFAULT 100;
