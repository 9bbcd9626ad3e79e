-- no transaction
-- Creates the indexes of the lists of codes by the state that 0075 defines. The statements of this file run outside of a
-- transaction, so that learners can redeem meanwhile. Indexes left by an interrupted run are dropped before.
drop index concurrently if exists coupon_newest_of_state;
create index concurrently coupon_newest_of_state on coupon
  (product_id, coupon_state(holder, revoked_at, voided_at, void_reason), (-id));
drop index concurrently if exists coupon_code_of_state;
create index concurrently coupon_code_of_state on coupon
  (product_id, coupon_state(holder, revoked_at, voided_at, void_reason), (lower(coupon_code) collate "C"), id);
