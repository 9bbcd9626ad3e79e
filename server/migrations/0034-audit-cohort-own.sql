-- no transaction
-- Index of the lines about a cohort as a whole, such as its grants. A person's timeline contains those of the person's
-- cohorts. In audit_cohort they stand among the lines of very many members. An index left by an interrupted run is
-- dropped before.
drop index concurrently if exists audit_cohort_own;
create index concurrently audit_cohort_own on audit (cohort_id, id) where user_id is null and cohort_id is not null;
