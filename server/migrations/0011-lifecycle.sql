-- Adds a first and a last day to products and to access, and a last day to codes. Processes of the previous version
-- serve learners while migrations 0011 to 0013 run. So 0011 only adds columns and tables, and 0012 builds indexes
-- without blocking writes. 0013 replaces the table product_access. A day is a date in TIME_ZONE. A range of days
-- includes its first and its last day.

alter table product
  add column opens_on       date,                       -- first and last day on which learners may redeem
  add column closes_on      date,
  add column paused_at      timestamptz,
  add column paused_by      text,
  add column pause_note     text,
  add column archived_by    text,
  add column use_by_default date,                       -- for codes that are added without a last day
  add column version        integer not null default 1, -- raised by each edit
  add column changed_by     text,                       -- who edited the product last, and when
  add column changed_at     timestamptz,
  -- `stock_version` is raised by each change that may add free codes before other free codes in the order of claims.
  -- `claim_use_by` and `claim_pos` are a position in this order: no free code comes before this position (0005). Both
  -- columns are null if the position is not known.
  add column stock_version  bigint not null default 0,
  add column claim_use_by   date,
  add column claim_pos      bigint,
  add constraint product_window check (opens_on <= closes_on);

-- Groups of people. A grant to a cohort gives access to each of its members. The portal cannot create cohorts yet.
create table cohort (
  cohort_id   uuid primary key default gen_random_uuid(),
  name        text not null check (btrim(name) <> ''),
  note        text,
  archived_at timestamptz,
  created_by  text not null,
  created_at  timestamptz not null default now(),
  version     integer not null default 1
);
create unique index cohort_name on cohort (lower(btrim(name)));

create table cohort_member (
  cohort_id   uuid not null references cohort (cohort_id),
  user_id     bigint not null references app_user (id),
  joined_at   timestamptz not null default now(),
  joined_by   text not null,
  purchase_id bigint,                                    -- the purchase by which the person joined
  primary key (cohort_id, user_id)
);
create index cohort_member_user on cohort_member (user_id, cohort_id);  -- both, so that the table is not read

-- Grants: which users and cohorts have access to which products. A grant gives one product, or all products, to one
-- user or to one cohort. Migration 0013 copies the access of the previous version into this table. The indexes and
-- foreign keys are added after the copying. If they existed before, the copying would take ten times as long.
create table access_grant (
  id              bigint generated always as identity primary key,
  user_id         bigint,
  cohort_id       uuid,
  product_id      uuid,                                  -- null: every product, also those added later
  starts_on       date not null,
  ends_on         date,                                  -- null: without end
  granted_by      text not null,                         -- an administrator's address, or 'operator'
  granted_at      timestamptz not null default now(),
  purchase_id     bigint,                                -- the purchase that made the grant
  import_id       uuid,                                  -- the import that made the grant
  withdrawn_at    timestamptz,
  withdrawn_by    text,
  withdraw_reason text,
  check ((user_id is null) <> (cohort_id is null)),
  check (purchase_id is null or user_id is not null),
  check (starts_on <= ends_on),
  check ((withdrawn_at is null) = (withdrawn_by is null)),
  check ((withdrawn_at is null) = (withdraw_reason is null))
);

-- Adds the last day of a code, and the data of void and revoked codes. A code has one of four states: free, held,
-- revoked or void. The holder of a revoked code keeps the row, but may not use the code. A void code was free and is
-- never assigned. No code is ever deleted. The new constraints are `not valid`, so existing rows are not checked here.
-- 0012 checks them without blocking writes.
alter table coupon
  add column use_by        date not null default 'infinity',  -- the last day on which the partner accepts the code
  add column voided_at     timestamptz,
  add column voided_by     text,
  add column void_reason   text,
  add column revoked_at    timestamptz,
  add column revoked_by    text,
  add column revoke_reason text,
  add constraint coupon_void check (
    (voided_at is null) = (voided_by is null) and (voided_at is null) = (void_reason is null)
    and (voided_at is null or holder is null) and void_reason in ('mistake', 'dead', 'expired', 'faulty')) not valid,
  add constraint coupon_revoked check (
    (revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoke_reason is null)
    and (revoked_at is null or holder is not null)) not valid;

-- Number of codes that the batch added. Null until the import of the batch ends. 0012 counts the codes of existing
-- batches. A trigger stores the number, because processes of the previous version also end imports.
alter table coupon_batch add column codes integer;
create function record_imported_codes() returns trigger language plpgsql as $$
begin
  update coupon_batch set codes = case when new.state <> 'running' then new.success end where id = new.batch_id;
  return null;
end $$;
create trigger import_ended after update of state on import_job
  for each row when (new.kind = 'coupons' and new.state <> old.state) execute function record_imported_codes();

-- Adds two kinds of jobs that change a batch of codes: 'void' makes the free codes void, and 'use_by' sets their last
-- day. `detail` contains the parameters and the results of such a job. `starts_on` and `ends_on` are the days of the
-- grants that an import of users makes.
alter table import_job drop constraint import_job_kind_check,
  add check (kind in ('products', 'users', 'coupons', 'void', 'use_by')),
  add column starts_on date,
  add column ends_on   date,
  add column detail    jsonb not null default '{}';

-- Counts of codes that became void because they expired, but are not in an audit line yet. The audit line is written
-- when all expired codes of the product are void. The counts are in a table, so that an interrupted job loses none.
create table coupon_expiry (
  product_id uuid not null references product (product_id),
  day        date not null,                              -- the last day of these codes
  codes      bigint not null,
  primary key (product_id, day)
);

-- Returns the state of a code: 0 free, 1 held, 2 revoked, 3 void. A generated column is not used, because adding it
-- would rewrite the table. Learners could not redeem during this time.
create function coupon_state(holder bigint, revoked_at timestamptz, voided_at timestamptz) returns integer
  language sql immutable parallel safe as $$
  select case when holder is not null then case when revoked_at is null then 1 else 2 end
              when voided_at is null then 0 else 3 end
$$;

-- Returns the newest usable code of a product with shared codes: its last day is after `today`, and its text is not void.
-- A row with the void reason 'expired' does not make its text void: the same text may have been uploaded again with a
-- later last day.
-- The newest row is usable in most cases. Otherwise the newest row of each text and last day is looked up. The rows are
-- not read one after the other: an unusable text has a row for each of its holders, often many thousands.
-- The language is PL/pgSQL, so that the planner plans these queries only for products with shared codes.
create function usable_shared_code(product uuid, today date) returns setof coupon language plpgsql stable rows 1 as $$
begin
  return query
    select c.* from (select * from coupon c where c.product_id = product and c.shared order by c.id desc limit 1) c
    where c.use_by > today and not is_void_text(c);
  if found then return; end if;
  return query
    with recursive given as (
      (select c.coupon_code, c.use_by + 0 as day from coupon c
       where c.product_id = product and c.shared order by c.coupon_code, c.use_by + 0 limit 1)
      union all
      select further.* from given cross join lateral (
        select c.coupon_code, c.use_by + 0 from coupon c
        where c.product_id = product and c.shared and (c.coupon_code, c.use_by + 0) > (given.coupon_code, given.day)
        order by c.coupon_code, c.use_by + 0 limit 1) further
    )
    select newest.* from given cross join lateral (
      select * from coupon c
      where c.product_id = product and c.shared and c.coupon_code = given.coupon_code and c.use_by + 0 = given.day
      order by c.id desc limit 1) newest
    where given.day > today and not is_void_text(newest)
    order by newest.id desc limit 1;
end $$;
-- Returns whether a product with shared codes has no usable code, or its newest usable code has reached its usage limit.
create function is_shared_sold_out(product uuid, today date) returns boolean language plpgsql stable as $$
begin
  return not exists (
    select from usable_shared_code(product, today) newest
    where newest.usage_limit is null or newest.usage_limit > (
      select count(*) from coupon used
      where used.product_id = product and used.shared and used.coupon_code = newest.coupon_code
        and used.holder is not null));
end $$;

-- Returns whether the text of a shared code is void.
create function is_void_text(code coupon) returns boolean language sql stable as $$
  select exists (
    select 1 from coupon c
    where c.product_id = code.product_id and c.coupon_code = code.coupon_code and c.shared and c.voided_at is not null
      and c.void_reason <> 'expired')
$$;

-- Replaces the trigger by which an assigned code keeps its holder. With the new trigger, an assigned code also keeps
-- its last day, and a revoked code stays revoked.
drop trigger coupon_holder_stays on coupon;
create trigger coupon_holder_stays before update on coupon for each row
  when (old.holder is not null and (
    (new.id, new.product_id, new.batch_id, new.coupon_code, new.holder, new.assigned_at, new.assigned_by, new.created_at,
      new.use_by)
    is distinct from (old.id, old.product_id, old.batch_id, old.coupon_code, old.holder, old.assigned_at, old.assigned_by,
      old.created_at, old.use_by)
    or (old.revoked_at is not null and (new.revoked_at, new.revoked_by, new.revoke_reason)
      is distinct from (old.revoked_at, old.revoked_by, old.revoke_reason))))
  execute function keep_handed_out_coupon();

-- The tally also counts void and revoked codes. The counter 'void' is the number of codes that became void, minus those
-- that became free again. Number of free codes = code - redeemed - issued - void.
create or replace function tally_added_coupons() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) select 'code', product_id, count(*) from added group by product_id;
  insert into tally_change (what, product_id, n)
    select 'void', product_id, count(*) from added where voided_at is not null group by product_id
    union all
    select 'revoked', product_id, count(*) from added where revoked_at is not null group by product_id;
  perform tally_handed_out(assigned_by, product_id, assigned_at, 1) from added where holder is not null;
  return null;
end $$;

create function tally_voided_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n)
  values ('void', new.product_id, case when new.voided_at is null then -1 else 1 end);
  return null;
end $$;

create function tally_revoked_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) values ('revoked', new.product_id, 1);
  return null;
end $$;

create trigger coupon_voided_is_told after update of voided_at on coupon
  for each row when ((old.voided_at is null) <> (new.voided_at is null)) execute function tally_voided_coupon();
create trigger coupon_revoked_is_told after update of revoked_at on coupon
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function tally_revoked_coupon();
