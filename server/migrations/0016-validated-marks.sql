-- no transaction
-- Validates the CHECK constraints of 0015. The statements of this file run outside of a transaction, so that learners
-- can redeem meanwhile.

alter table coupon validate constraint coupon_void;
alter table coupon validate constraint coupon_revoked;
