-- Aggregate counters (the "tally"), so that the dashboard does not count rows. Each change inserts a row into
-- tally_change. A job adds these rows to the counters in tally and then deletes the rows.
-- Each redemption inserts its own row, so concurrent redemptions do not wait for each other. If all redemptions
-- updated the same counter, each redemption would wait for the row lock of the redemption before it.

create table tally_change (
  what       text not null,                     -- 'code', 'redeemed' (by a learner), 'issued' (by staff), 'user'
  product_id uuid,
  day        date,                              -- UTC; only for 'redeemed' and 'issued'
  n          bigint not null
);

-- The counters. They contain the rows of tally_change that the job has already added.
create table tally (
  what       text not null,
  product_id uuid,
  day        date,                              -- also null for days that are older than the dashboard's range
  n          bigint not null,
  unique nulls not distinct (what, product_id, day)
);

create view tally_now as
  select what, product_id, day, sum(n)::bigint as n
  from (select * from tally union all select * from tally_change) lines
  group by what, product_id, day;

create function tally_handed_out(assigned_by text, product_id uuid, assigned_at timestamptz, n bigint) returns void
  language sql as $$
  insert into tally_change (what, product_id, day, n)
  values (case assigned_by when 'learner' then 'redeemed' else 'issued' end, product_id, (assigned_at at time zone 'utc')::date, n)
$$;

create function tally_added_coupons() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) select 'code', product_id, count(*) from added group by product_id;
  perform tally_handed_out(assigned_by, product_id, assigned_at, 1) from added where assigned;
  return null;
end $$;

create function tally_claimed_coupon() returns trigger language plpgsql as $$
begin
  perform tally_handed_out(new.assigned_by, new.product_id, new.assigned_at, 1);
  return null;
end $$;

-- Runs when a free code is moved to another product. Counts one code less for the old product and one more for the
-- new product. The counters of assignments do not change, because an assigned code cannot be moved or deleted.
create function tally_moved_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) values ('code', old.product_id, -1), ('code', new.product_id, 1);
  return null;
end $$;

create function tally_deleted_coupons() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) select 'code', product_id, -count(*) from gone group by product_id;
  return null;
end $$;

create trigger coupon_added_is_told after insert on coupon referencing new table as added
  for each statement execute function tally_added_coupons();
create trigger coupon_claimed_is_told after update on coupon
  for each row when (old.holder is null and new.holder is not null) execute function tally_claimed_coupon();
create trigger coupon_moved_is_told after update of product_id on coupon
  for each row when (old.product_id is distinct from new.product_id) execute function tally_moved_coupon();
create trigger coupon_deleted_is_told after delete on coupon referencing old table as gone
  for each statement execute function tally_deleted_coupons();

create function tally_users() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, n)
  select 'user', case tg_op when 'INSERT' then count(*) else -count(*) end from changed having count(*) > 0;
  return null;
end $$;

create trigger app_user_added_is_told after insert on app_user referencing new table as changed
  for each statement execute function tally_users();
create trigger app_user_deleted_is_told after delete on app_user referencing old table as changed
  for each statement execute function tally_users();

-- Fills the counters from the rows that already exist. No row can change until the migration commits, because the
-- creation of the triggers has locked the tables.
insert into tally (what, product_id, n) select 'code', product_id, count(*) from coupon group by product_id;
insert into tally (what, product_id, day, n)
  select case assigned_by when 'learner' then 'redeemed' else 'issued' end, product_id, (assigned_at at time zone 'utc')::date, count(*)
  from coupon where assigned group by 1, 2, 3;
insert into tally (what, n) select 'user', count(*) from app_user having count(*) > 0;
