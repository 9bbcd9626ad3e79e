-- no transaction
-- Indexes for the states of codes, built while learners redeem. 0013 removes the indexes that they replace.

alter table coupon validate constraint coupon_void;
alter table coupon validate constraint coupon_revoked;

update coupon_batch b set codes = added.codes
  from (select batch_id, count(*)::integer as codes from coupon group by batch_id) added
  where added.batch_id = b.id and b.codes is null
    and not exists (select 1 from import_job i where i.batch_id = b.id and i.state = 'running');

-- Free codes in the order of claims: the one that expires first goes first. No other index may contain use_by or pos
-- (0005).
drop index concurrently if exists coupon_claimable;
create index concurrently coupon_claimable on coupon (product_id, use_by, pos) where holder is null and voided_at is null;

-- As coupon_newest and coupon_code_search, with the state in the place of `assigned`.
drop index concurrently if exists coupon_newest_of_state;
create index concurrently coupon_newest_of_state on coupon (product_id, coupon_state(holder, revoked_at, voided_at), (-id));
drop index concurrently if exists coupon_code_of_state;
create index concurrently coupon_code_of_state on coupon
  (product_id, coupon_state(holder, revoked_at, voided_at), (lower(coupon_code) collate "C"), id);

-- Codes that were revoked, of one holder: few.
drop index concurrently if exists coupon_revoked_holder;
create index concurrently coupon_revoked_holder on coupon (holder, product_id) where revoked_at is not null;

-- Texts of shared codes that are void.
drop index concurrently if exists coupon_shared_void;
create index concurrently coupon_shared_void on coupon (product_id, coupon_code) where shared and voided_at is not null;

-- The codes of a batch by state, to count them without reading the table: an index on coupon_state would not do, because
-- PostgreSQL never reads an expression from an index alone.
-- The conditions name assigned_by, voided_by and revoked_by, which are null together with holder, voided_at and revoked_at.
-- No statement of learners names these columns. Otherwise the planner could choose one of these indexes for a claim, and
-- would read all codes of that state, if its statistics are older than a large upload or many redemptions (0005).
drop index concurrently if exists coupon_batch_free;
create index concurrently coupon_batch_free on coupon (batch_id, id) where assigned_by is null and voided_by is null;
drop index concurrently if exists coupon_batch_held;
create index concurrently coupon_batch_held on coupon (batch_id) where assigned_by is not null;
drop index concurrently if exists coupon_batch_revoked;
create index concurrently coupon_batch_revoked on coupon (batch_id) where revoked_by is not null;
drop index concurrently if exists coupon_batch_void;
create index concurrently coupon_batch_void on coupon (batch_id, void_reason, id) where voided_by is not null;
-- First and last day of the free codes of a batch. An expression, because use_by itself is for coupon_free only (0005).
drop index concurrently if exists coupon_batch_day;
create index concurrently coupon_batch_day on coupon (batch_id, (use_by + 0)) where assigned_by is null and voided_by is null;

-- The batches that are listed, in all and of a product.
drop index concurrently if exists coupon_batch_listed;
create index concurrently coupon_batch_listed on coupon_batch (id) where codes > 1;
drop index concurrently if exists coupon_batch_of_product;
create index concurrently coupon_batch_of_product on coupon_batch (product_id, id) where codes > 1;
