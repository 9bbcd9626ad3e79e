-- no transaction
-- Index of the lines about people who were moved into a cohort. Such a line stands with the cohort that they left, so
-- audit_cohort does not find it for the cohort that they came into (R-TRAIL-52). An index left by an interrupted run is
-- dropped before.
drop index concurrently if exists audit_cohort_moves;
create index concurrently audit_cohort_moves on audit ((detail #>> '{cohort_ids,1}'), id) where action = 'member.move';
