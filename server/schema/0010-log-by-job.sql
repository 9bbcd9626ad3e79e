-- no transaction
-- The log by job (R-DAY-40): what one job or one press did is one entry of Activity.

-- Existing lines keep null in both columns. Processes of the version before write null too: no setting names a group.
call lock_exclusively('audit'); alter table audit
  add column if not exists group_id uuid,
  add column if not exists summary_of text[],
  alter column group_id set default nullif(current_setting('portal.audit_group', true), '')::uuid;
comment on column audit.group_id is 'the lines that one job or one press wrote; null for a line on its own. A transaction names
  its group in the setting portal.audit_group';
comment on column audit.summary_of is 'first words of the actions in the group, such as {user,grant}; null unless this line is the
  summary of its group. Summaries and lines without a group are the entries of the log';

-- An interrupted migration may have left invalid indexes.
drop index concurrently if exists audit_entry;
create index concurrently audit_entry on audit (id) where group_id is null or summary_of is not null;
drop index concurrently if exists audit_actor_entry;
create index concurrently audit_actor_entry on audit (actor, id)
  where (group_id is null or summary_of is not null) and actor <> 'learner';
comment on index audit_actor_entry is 'Finds the entries of a member of the team. The lines of learners are in no group, so
  audit_actor finds their entries.';
drop index concurrently if exists audit_cohort_entry;
create index concurrently audit_cohort_entry on audit (cohort_id, id)
  where cohort_id is not null and (group_id is null or summary_of is not null or action = 'member.arrive');
comment on index audit_cohort_entry is 'Finds the entries of a cohort. The summary of people who moved is about the cohort that
  they left; member.arrive tells of them in the cohort that they reached.';
drop index concurrently if exists audit_group;
create index concurrently audit_group on audit (group_id, id) where group_id is not null;
drop index concurrently if exists audit_summary;
create unique index concurrently audit_summary on audit (group_id) where summary_of is not null;
comment on index audit_summary is 'A group has one summary.';
