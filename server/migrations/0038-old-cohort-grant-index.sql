-- no transaction
-- Drops the index that the one of 0037 replaces. A file of its own: after an interruption, 0037 would drop the new index
-- first, and there would be none for a while.
drop index concurrently if exists access_grant_cohort;
