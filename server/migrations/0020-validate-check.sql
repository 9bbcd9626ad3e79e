-- no transaction
-- Validates the constraint of 0019 outside of a transaction, so that learners can redeem meanwhile.
alter table coupon validate constraint coupon_state;
