-- no transaction
-- Index of the codes that each of staff was shown, for the limit of 30 in 10 minutes. Created outside of a transaction,
-- so that people can redeem meanwhile. An index left by an interrupted run is dropped before.
drop index concurrently if exists audit_reveal;
create index concurrently audit_reveal on audit (actor, at) where action in ('coupon.reveal', 'coupon.refused_reveal');
