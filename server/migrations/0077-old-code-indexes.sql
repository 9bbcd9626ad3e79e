-- no transaction
-- Drops the indexes that those of 0076 replace. A file of its own: after an interruption, 0076 would drop the new indexes
-- first, and there would be none for a while.
drop index concurrently if exists coupon_newest;
drop index concurrently if exists coupon_code_search;
