-- Copies into each grant of a cohort whether the cohort is archived, so that the access of a person is decided without
-- reading the cohorts. The foreign key keeps the copy: it refuses a grant whose copy is wrong, and changes the copies when
-- a cohort is archived or brought back.

call lock_exclusively('cohort', 'access_grant');

alter table cohort
  add column is_archived boolean not null generated always as (archived_at is not null) stored,
  add unique (cohort_id, is_archived);
alter table access_grant add column cohort_archived boolean not null default false;  -- always false without a cohort
update access_grant g set cohort_archived = true from cohort o where o.cohort_id = g.cohort_id and o.is_archived;
-- 0037 validates the constraint.
alter table access_grant
  drop constraint access_grant_cohort_id_fkey,
  add constraint access_grant_cohort foreign key (cohort_id, cohort_archived) references cohort (cohort_id, is_archived)
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
