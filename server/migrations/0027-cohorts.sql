-- Counts the members of cohorts in the tally (0014), and lets an import add its people to a cohort. While this
-- migration's processes replace those of the previous version, a process of the previous version cannot fold the tally:
-- its statement names the old key. The counters stay right, because the changes wait in tally_change.

-- Each redemption adds a row to tally_change.
call lock_exclusively('tally_change', 'tally');
alter table tally_change add column cohort_id uuid;
alter table tally add column cohort_id uuid;
alter table tally drop constraint tally_what_product_id_day_key,
  add unique nulls not distinct (what, product_id, cohort_id, day);

create or replace view tally_now as
  select what, product_id, day, sum(n)::bigint as n, cohort_id
  from (select what, product_id, day, n, cohort_id from tally
        union all select what, product_id, day, n, cohort_id from tally_change) lines
  group by what, product_id, day, cohort_id;

create function tally_members() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, cohort_id, n)
  select 'member', cohort_id, case tg_op when 'INSERT' then count(*) else -count(*) end from changed group by cohort_id;
  return null;
end $$;
create trigger cohort_member_added_is_told after insert on cohort_member referencing new table as changed
  for each statement execute function tally_members();
create trigger cohort_member_removed_is_told after delete on cohort_member referencing old table as changed
  for each statement execute function tally_members();

-- No version could create cohorts, so these are rows that somebody inserted by hand. The triggers have locked the table.
insert into tally (what, cohort_id, n) select 'member', cohort_id, count(*) from cohort_member group by cohort_id;

-- The cohort that the people of an import join, and the counts of those who joined and of those who were members.
alter table import_job
  add column cohort_id uuid references cohort (cohort_id),
  add column joined integer not null default 0,
  add column already integer not null default 0;

-- Adds a kind of job that changes many people: they join or leave a cohort, move to another, or are given products.
-- `cohort_id` is the cohort, `detail` contains the parameters and the progress.
alter table import_job drop constraint import_job_kind_check,
  add check (kind in ('products', 'users', 'coupons', 'void', 'use_by', 'act'));
