-- no transaction
-- Indexes by which staff read the log: by product, code, upload and member of the team, and by time (R-TRAIL-03). Each
-- redemption adds a line with a product and a code, so these two indexes and that of the times have no condition:
-- PostgreSQL evaluates the condition of a partial index again for each line, which costs as much as the index entry.
-- An index left by an interrupted run is dropped before.
drop index concurrently if exists audit_product;
create index concurrently audit_product on audit (product_id, id);
drop index concurrently if exists audit_coupon;
create index concurrently audit_coupon on audit (coupon_id, id);
drop index concurrently if exists audit_at;
create index concurrently audit_at on audit (at, id);
drop index concurrently if exists audit_batch;
create index concurrently audit_batch on audit (batch_id, id) where batch_id is not null;
drop index concurrently if exists audit_actor;
create index concurrently audit_actor on audit (actor, id) where via <> 'portal' and actor <> 'learner';
