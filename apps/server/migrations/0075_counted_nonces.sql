-- The next nonce of a seed is counted from the rounds that it dealt; no process reads this column.
ALTER TABLE fairness_seeds DROP COLUMN next_nonce;
