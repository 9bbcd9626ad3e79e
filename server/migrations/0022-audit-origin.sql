-- Adds to each line of the audit log by what way the act came and, for acts of staff, from which address. Adds the
-- cohort or the batch of codes that the line is about.

-- A type instead of a CHECK constraint: PostgreSQL parses a constraint again in each statement that adds a line.
create type audit_way as enum ('page', 'key', 'operator', 'portal');  -- 'key' is an API key
alter table audit
  add column via       audit_way not null default 'page',
  add column ip        inet,                            -- only for acts of staff and keys, never of learners
  add column cohort_id uuid,
  add column batch_id  bigint;

-- Replaces the function of 0017: the audit line also says by what way, and from which
-- address, staff assign the code.
drop function claim_next_coupon;
create function claim_next_coupon(
  product uuid, claimant bigint, after_use_by date, after_pos bigint, today date, waits boolean,
  claimed_at timestamptz, claimed_by text, claimed_via audit_way, claimed_from inet, action text, detail jsonb
) returns jsonb language plpgsql as $$
declare
  claimed record;
  searches integer := 1;
begin
  loop
    if after_use_by > today then
      -- The lock of this statement makes the next one find the row: a statement does not skip rows that its own
      -- transaction has locked.
      if waits then
        perform from coupon c
        where c.product_id = product and c.use_by = after_use_by and c.holder is null and c.voided_at is null and c.pos > after_pos
        order by c.pos limit 1 for update;
      end if;
      update coupon set holder = claimant, assigned_at = claimed_at, assigned_by = claimed_by, is_current = true
      where id = (
        select c.id from coupon c
        where c.product_id = product and c.use_by = after_use_by and c.holder is null and c.voided_at is null and c.pos > after_pos
        order by c.pos limit 1 for update skip locked)
      returning id, coupon_code, use_by, pos into claimed;
      exit when found;
    end if;
    select d.use_by, d.pos - 1 into after_use_by, after_pos from claim_day d
    where d.product_id = product and d.use_by > greatest(after_use_by, today) order by d.use_by limit 1;
    if not found then
      if not waits or searches = 2 then return null; end if;
      searches := 2;
      after_use_by := null;
    end if;
  end loop;
  -- Between two runs of the job that advances the days, thousands of codes may be assigned.
  if claimed.pos % 256 = 0 then perform advance_claim_days(product); end if;
  insert into audit (at, actor, via, action, ip, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claim_next_coupon.action, claimed_from, claimant, product, claimed.id, claim_next_coupon.detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'pos', claimed.pos::text);
end $$;
