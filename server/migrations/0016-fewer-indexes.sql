-- no transaction
-- Validates the CHECK constraints of 0015, and reduces the number of indexes. PostgreSQL prepares each index of a table in
-- each statement that changes a row, also an index that gets no entry. The statements of this file run outside of a
-- transaction, so that learners can redeem meanwhile.

alter table coupon validate constraint coupon_void;
alter table coupon validate constraint coupon_revoked;

-- The codes of one holder are few. They are found by coupon_holder.
drop index concurrently if exists coupon_revoked_holder;

-- One index for the assigned codes of a batch, of which some are revoked. An index left by an interrupted run is dropped
-- before.
drop index concurrently if exists coupon_batch_assigned;
create index concurrently coupon_batch_assigned on coupon (batch_id, revoked_by) where assigned_by is not null;
drop index concurrently if exists coupon_batch_held;
drop index concurrently if exists coupon_batch_revoked;
