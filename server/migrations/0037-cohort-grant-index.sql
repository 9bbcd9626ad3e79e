-- no transaction
-- Validates the constraint of 0036. The index that finds the grants of a cohort gets the columns that decide access, so
-- that a learner's list of products does not read the table. The statements of this file run outside of a transaction, so
-- that learners can redeem meanwhile. An index left by an interrupted run is dropped before.
alter table access_grant validate constraint access_grant_cohort_archived;
drop index concurrently if exists access_grant_of_cohort;
create index concurrently access_grant_of_cohort on access_grant (cohort_id)
  include (product_id, starts_on, ends_on, withdrawn_at, cohort_archived) where cohort_id is not null;
