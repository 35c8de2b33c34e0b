-- A misspelt search is put right word by word: it meets the few words that names are made of
-- first, and then only the games that hold a word that is near.
CREATE TABLE game_words (
  word text PRIMARY KEY
);
CREATE INDEX game_words_near ON game_words USING gin (word gin_trgm_ops);

ALTER TABLE games ADD COLUMN words tsvector NOT NULL
  GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_name, ' '))) STORED;
CREATE INDEX games_words ON games USING gin (words);

INSERT INTO game_words SELECT DISTINCT unnest(tsvector_to_array(words)) FROM games;
