-- no transaction
-- Index by which staff read the log of a cohort (R-TRAIL-03). Few lines name a cohort, so the index contains only these.
-- Each redemption pays for the condition: PostgreSQL reads it again for each line that it adds. An index left by an
-- interrupted run is dropped before.
drop index concurrently if exists audit_cohort;
create index concurrently audit_cohort on audit (cohort_id, id) where cohort_id is not null;
