-- Keeps in each line of the audit log the id and the name of the member of the team who acted, as they were (N-320). The
-- address alone may belong to somebody else by now. Both are null in lines of learners, the portal and the operator, and
-- in lines from before this migration.

call lock_exclusively('audit');

alter table audit
  add column actor_id   bigint,                         -- app_user.id
  add column actor_name text;

-- As the function of 0018, which processes of the previous version still call; this one has two parameters more.
create function claim_next_coupon(
  product uuid, claimant bigint, after_use_by date, after_pos bigint, today date, waits boolean,
  claimed_at timestamptz, claimed_by text, claimed_via audit_way, claimed_from inet, claimed_by_id bigint,
  claimed_by_name text, action text, detail jsonb
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
  insert into audit (at, actor, via, action, ip, actor_id, actor_name, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claim_next_coupon.action, claimed_from, claimed_by_id, claimed_by_name,
    claimant, product, claimed.id, claim_next_coupon.detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'pos', claimed.pos::text);
end $$;
