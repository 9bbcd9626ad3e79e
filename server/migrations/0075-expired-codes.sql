-- Tells expired codes from void ones. A code has expired if nobody holds it and its last day has passed or is today. The
-- job of 0011 makes such codes void with the reason 'expired', some time after midnight. Lists and totals must not change
-- by that, so they take the day as a parameter.

call lock_exclusively('coupon');

-- Returns the stored state of a code: 0 free, 1 held, 2 revoked, 3 void, 4 void because it has expired. A code whose
-- last day has passed stays 0 until the job has run. Takes the place of the function with three parameters, which
-- processes of the previous version still call.
create function coupon_state(holder bigint, revoked_at timestamptz, voided_at timestamptz, void_reason text) returns integer
  language sql immutable parallel safe as $$
  select case when holder is not null then case when revoked_at is null then 1 else 2 end
              when voided_at is null then 0 when void_reason = 'expired' then 4 else 3 end
$$;

-- The tally counts void codes with the reason 'expired' once more, as 'expired'. 'void' keeps all void codes, because
-- processes of the previous version read it. 0078 counts those of before, so that learners do not wait meanwhile.
create or replace function tally_added_coupons() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) select 'code', product_id, count(*) from added group by product_id;
  insert into tally_change (what, product_id, n)
    select 'void', product_id, count(*) from added where voided_at is not null group by product_id
    union all
    select 'expired', product_id, count(*) from added where void_reason = 'expired' group by product_id
    union all
    select 'revoked', product_id, count(*) from added where revoked_at is not null group by product_id;
  perform tally_handed_out(assigned_by, product_id, assigned_at, 1) from added where holder is not null;
  return null;
end $$;

create or replace function tally_voided_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n)
  select what, new.product_id, n from (values
    ('void', (new.void_reason is not null)::int - (old.void_reason is not null)::int),
    ('expired', (new.void_reason is not distinct from 'expired')::int - (old.void_reason is not distinct from 'expired')::int)
  ) changes (what, n) where n <> 0;
  return null;
end $$;
drop trigger coupon_voided_is_told on coupon;
create trigger coupon_voided_is_told after update of voided_at, void_reason on coupon
  for each row when (old.void_reason is distinct from new.void_reason) execute function tally_voided_coupon();

-- Returns the free codes of a product whose last day is `today` or earlier: those that the job has not made void yet. In
-- most cases there are none, and no row of claim_day tells of any. Sequential scans are off, because the planner does not
-- know that, and would read the whole table.
create function expired_coupons(product uuid, today date) returns setof coupon language plpgsql stable rows 1
  set enable_seqscan = off as $$
begin
  return query
    select c.* from claim_day d join coupon c
      on c.product_id = d.product_id and c.use_by = d.use_by and c.pos >= d.pos and c.holder is null and c.voided_at is null
    where d.product_id = product and d.use_by <= today;
end $$;

-- Returns the number of these codes for each product that has any.
create function count_expired_coupons(today date) returns table (product_id uuid, n bigint) language plpgsql stable rows 1
  set enable_seqscan = off as $$
begin
  return query
    select d.product_id, count(*) from claim_day d join coupon c
      on c.product_id = d.product_id and c.use_by = d.use_by and c.pos >= d.pos and c.holder is null and c.voided_at is null
    where d.use_by <= today group by d.product_id;
end $$;

-- Returns how many codes of each product are in each state on the day `today`. Each code is in one state, so the states
-- add up to `codes`. A product that never had a code has no row.
create function code_counts(today date)
  returns table (product_id uuid, codes integer, free integer, held integer, revoked integer, void integer, expired integer)
  language sql stable as $$
  select product_id, codes, codes - assigned - marked - late, assigned - revoked, revoked, marked - expired, expired + late
  from (
    select product_id,
      coalesce(sum(n) filter (where what = 'code'), 0)::integer as codes,
      coalesce(sum(n) filter (where what in ('redeemed', 'issued')), 0)::integer as assigned,
      coalesce(sum(n) filter (where what = 'revoked'), 0)::integer as revoked,
      coalesce(sum(n) filter (where what = 'void'), 0)::integer as marked,
      coalesce(sum(n) filter (where what = 'expired'), 0)::integer as expired,
      coalesce(sum(n) filter (where what = 'late'), 0)::integer as late
    from (
      select what, product_id, n from tally
      union all
      select what, product_id, n from tally_change
      union all
      select 'late', product_id, n from count_expired_coupons(today)
    ) changes
    where what in ('code', 'redeemed', 'issued', 'revoked', 'void', 'expired', 'late')
    group by product_id
  ) sums
$$;
