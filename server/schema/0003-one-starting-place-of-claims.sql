-- Claims start at claim_day alone. Processes of the version before also keep the place of their last claim in memory, and
-- call the function with the parameters after_use_by and after_pos.

create function product_status(p product, today date) returns text language sql stable parallel safe as $$
  select case when p.archived_at is not null then 'archived' when p.paused_at is not null then 'paused'
    when p.closes_on < today then 'ended' when p.opens_on > today then 'scheduled' else 'live' end
$$;
comment on function product_status is 'Returns the status of a product on the day `today`, like productStatus in the contract.';

create function claim_next_coupon(
  product uuid, claimant bigint, today date, waits boolean, claimed_at timestamptz, claimed_by text,
  claimed_via audit_way, claimed_from inet, claimed_by_id bigint, claimed_by_name text, claimed_action text, claimed_detail jsonb
) returns jsonb language plpgsql as $$
declare
  place claim_day;
  claimed record;
  searches integer := 1;
begin
  loop
    select * into place from claim_day d
    where d.product_id = product and d.use_by > coalesce(place.use_by, today) order by d.use_by limit 1;
    if not found then
      if not waits or searches = 2 then return null; end if;
      searches := 2;
      continue;
    end if;
    -- The lock of this statement makes the next one find the row: a statement does not skip rows that its own
    -- transaction has locked.
    if waits then
      perform from coupon c
      where c.product_id = product and c.use_by = place.use_by and c.holder is null and c.voided_at is null and c.pos >= place.pos
      order by c.pos limit 1 for update;
    end if;
    update coupon set holder = claimant, assigned_at = claimed_at, assigned_by = claimed_by, is_current = true
    where id = (
      select c.id from coupon c
      where c.product_id = product and c.use_by = place.use_by and c.holder is null and c.voided_at is null and c.pos >= place.pos
      order by c.pos limit 1 for update skip locked)
    returning id, coupon_code, use_by, pos into claimed;
    exit when found;
  end loop;
  -- Between two runs of the job that advances the days, thousands of codes may be assigned. Each later claim would read the
  -- index entries of all of them.
  if claimed.pos - place.pos >= 128 then perform advance_claim_days(product); end if;
  insert into audit (at, actor, via, action, ip, actor_id, actor_name, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claimed_action, claimed_from, claimed_by_id, claimed_by_name,
    claimant, product, claimed.id, claimed_detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by);
end $$;
comment on function claim_next_coupon(uuid, bigint, date, boolean, timestamptz, text, audit_way, inet, bigint, text, text, jsonb) is
  'Assigns the product''s next free code to a user, and writes the audit line. The search begins at the first day of
  claim_day after `today`. Returns the code and its last day, or null if there is none. With `waits`, waits for codes that
  another transaction has locked, and searches twice: while it waits, the other transaction may give the codes an earlier last
  day. Without `waits`, skips locked codes.';

comment on function claim_next_coupon(uuid, bigint, date, bigint, date, boolean, timestamptz, text, audit_way, inet, bigint, text, text, jsonb) is
  'Kept for processes of the version before, which begin the search after a place in their memory. Nothing else calls it.';
comment on column product.stock_version is
  'Kept for processes of the version before, which raise and read it. Nothing else uses it. A later migration drops it.';
