-- no transaction
-- Indexes by which staff read the log: by person, product, code, upload and actor, and by time (R-TRAIL-03). Each
-- redemption adds a line with a person, a product and a code. So the indexes of these have no condition: for each line,
-- PostgreSQL would read the condition again, which costs more than the entries that it avoids. The index of persons had
-- such a condition. An index left by an interrupted run is dropped before.
drop index concurrently if exists audit_person;
create index concurrently audit_person on audit (user_id, id);
drop index concurrently if exists audit_user;
drop index concurrently if exists audit_product;
create index concurrently audit_product on audit (product_id, id);
drop index concurrently if exists audit_coupon;
create index concurrently audit_coupon on audit (coupon_id, id);
drop index concurrently if exists audit_batch;
create index concurrently audit_batch on audit (batch_id, id) where batch_id is not null;
drop index concurrently if exists audit_actor;
create index concurrently audit_actor on audit (actor, id);
drop index concurrently if exists audit_at;
create index concurrently audit_at on audit (at, id);
