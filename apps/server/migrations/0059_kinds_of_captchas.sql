-- Which kind of picture it is: each place takes the kind that it asks for. Null for one that a
-- process of before made; none of those is left five minutes after the last such process.
ALTER TABLE captchas ADD COLUMN kind text;
