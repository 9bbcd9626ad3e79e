-- no transaction
-- Indexes for the states of codes, built while learners redeem. 0013 removes the indexes that they replace.

alter table coupon validate constraint coupon_void;
alter table coupon validate constraint coupon_revoked;

update coupon_batch b set codes = added.codes
  from (select batch_id, count(*)::integer as codes from coupon group by batch_id) added
  where added.batch_id = b.id and b.codes is null
    and not exists (select 1 from import_job i where i.batch_id = b.id and i.state in ('running', 'failed'));

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

-- The free codes of a batch, and the numbers of its codes in each state.
drop index concurrently if exists coupon_batch_free;
create index concurrently coupon_batch_free on coupon (batch_id, id) where holder is null and voided_at is null;
drop index concurrently if exists coupon_batch_state;
create index concurrently coupon_batch_state on coupon (batch_id, coupon_state(holder, revoked_at, voided_at));
