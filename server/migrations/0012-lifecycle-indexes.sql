-- no transaction
-- Because of the first line, each statement of this file runs outside of a transaction. Only in this way can indexes be
-- built while learners redeem.
-- Adds indexes for the states of codes. 0013 removes the old indexes that the new ones replace.

alter table coupon validate constraint coupon_void;
alter table coupon validate constraint coupon_revoked;

update coupon_batch b set codes = added.codes
  from (select batch_id, count(*)::integer as codes from coupon group by batch_id) added
  where added.batch_id = b.id and b.codes is null
    and not exists (select 1 from import_job i where i.batch_id = b.id and i.state = 'running');

-- Creates the index of free codes in the order of claims: the code that expires first is assigned first. An index of
-- the same name, left by an interrupted run, is dropped before. No other index may contain use_by or pos (0005).
-- Otherwise the planner could use that other index for a claim, and would read all assigned codes.
drop index concurrently if exists coupon_claimable;
create index concurrently coupon_claimable on coupon (product_id, use_by, pos) where holder is null and voided_at is null;

-- Creates two indexes that will replace coupon_newest and coupon_code_search. The new indexes contain the state of a
-- code instead of the column `assigned`. Indexes left by an interrupted run are dropped before.
drop index concurrently if exists coupon_newest_of_state;
create index concurrently coupon_newest_of_state on coupon (product_id, coupon_state(holder, revoked_at, voided_at), (-id));
drop index concurrently if exists coupon_code_of_state;
create index concurrently coupon_code_of_state on coupon
  (product_id, coupon_state(holder, revoked_at, voided_at), (lower(coupon_code) collate "C"), id);

-- Creates an index that finds the revoked codes of a holder. The index is small, because few codes are revoked. An
-- index left by an interrupted run is dropped before.
drop index concurrently if exists coupon_revoked_holder;
create index concurrently coupon_revoked_holder on coupon (holder, product_id) where revoked_at is not null;

-- Creates the index of the texts and last days of shared codes, which the function usable_shared_code reads. The index
-- contains an expression, because only coupon_free may contain use_by itself (0005). An index left by an interrupted run
-- is dropped before.
drop index concurrently if exists coupon_shared_text;
create index concurrently coupon_shared_text on coupon (product_id, coupon_code, (use_by + 0), id) where shared;

-- Creates an index that finds whether a shared code is void. A shared code has several rows with the same text. One
-- void row makes the text void in all rows. An index left by an interrupted run is dropped before.
drop index concurrently if exists coupon_shared_void;
create index concurrently coupon_shared_void on coupon (product_id, coupon_code) where shared and voided_at is not null;

-- Creates one index for each state of the codes in a batch. Indexes left by an interrupted run are dropped before. The
-- codes of a state are counted from the index of this state alone, without reading the table. A single index on
-- coupon_state would not allow this: for an expression, PostgreSQL also reads the table.
-- The conditions name assigned_by, voided_by and revoked_by. These columns are null exactly if holder, voided_at and
-- revoked_at, respectively, are null. Statements for learners name only holder, voided_at and revoked_at. So the
-- planner never uses these indexes for a claim. With outdated statistics, a claim could otherwise read all codes of one
-- state (0005).
drop index concurrently if exists coupon_batch_free;
create index concurrently coupon_batch_free on coupon (batch_id, id) where assigned_by is null and voided_by is null;
drop index concurrently if exists coupon_batch_held;
create index concurrently coupon_batch_held on coupon (batch_id) where assigned_by is not null;
drop index concurrently if exists coupon_batch_revoked;
create index concurrently coupon_batch_revoked on coupon (batch_id) where revoked_by is not null;
drop index concurrently if exists coupon_batch_void;
create index concurrently coupon_batch_void on coupon (batch_id, void_reason, id) where voided_by is not null;
-- Creates an index that finds the first and the last day of the free codes of a batch. The index contains the
-- expression `use_by + 0` instead of the column use_by, which only coupon_free may contain (0005). An index left by an
-- interrupted run is dropped before.
drop index concurrently if exists coupon_batch_day;
create index concurrently coupon_batch_day on coupon (batch_id, (use_by + 0)) where assigned_by is null and voided_by is null;

-- Creates two indexes that find the batches with more than one code, in all products or in one. Only these batches are
-- listed. Indexes left by an interrupted run are dropped before.
drop index concurrently if exists coupon_batch_listed;
create index concurrently coupon_batch_listed on coupon_batch (id) where codes > 1;
drop index concurrently if exists coupon_batch_of_product;
create index concurrently coupon_batch_of_product on coupon_batch (product_id, id) where codes > 1;
