-- A member that is deleted is looked for among the pairs that were revealed too.
CREATE INDEX fairness_seeds_member ON fairness_seeds (member_id);
