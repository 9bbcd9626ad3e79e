-- Stores in each grant of a cohort whether the cohort is archived. So the statements that decide access do not read the
-- table of cohorts. Two triggers write this column, also for processes of the previous version. The foreign key refuses a
-- grant whose column differs from its cohort, and updates the grants when staff archive a cohort or bring it back.

call lock_exclusively('cohort', 'access_grant');

-- PostgreSQL would rewrite the table to add a generated column. A backup that runs at the same time would then contain no
-- cohorts.
alter table cohort add column is_archived boolean not null default false;
update cohort set is_archived = true where archived_at is not null;
alter table cohort add unique (cohort_id, is_archived);
create function set_is_archived() returns trigger language plpgsql as $$
begin
  new.is_archived := new.archived_at is not null;
  return new;
end $$;
create trigger cohort_is_archived before insert or update of archived_at on cohort
  for each row execute function set_is_archived();

alter table access_grant add column cohort_archived boolean not null default false;  -- nothing sets it without a cohort
update access_grant g set cohort_archived = true from cohort o where o.cohort_id = g.cohort_id and o.is_archived;
create function copy_is_archived() returns trigger language plpgsql as $$
begin
  -- Without such a cohort, the foreign key refuses the grant.
  new.cohort_archived := coalesce((select is_archived from cohort where cohort_id = new.cohort_id), false);
  return new;
end $$;
create trigger grant_of_archived_cohort before insert on access_grant
  for each row when (new.cohort_id is not null) execute function copy_is_archived();
-- 0037 validates the constraint.
alter table access_grant
  drop constraint access_grant_cohort_id_fkey,
  add constraint access_grant_cohort_archived foreign key (cohort_id, cohort_archived) references cohort (cohort_id, is_archived)
    on update cascade not valid;

-- As in 0015, without the cohorts.
create or replace function has_cohort_access(member bigint, product uuid, today date) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from cohort_member m cross join lateral (
      select from access_grant g
      where g.cohort_id = m.cohort_id and not g.cohort_archived
        and g.withdrawn_at is null and g.starts_on <= today and (g.ends_on is null or g.ends_on >= today)
        and (g.product_id = product or g.product_id is null)
      limit 1) given
    where m.user_id = member);
end $$;
