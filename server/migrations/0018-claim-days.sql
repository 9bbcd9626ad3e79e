-- Stores where the search for a free code begins, for each last day of a product's free codes. Assigned codes leave dead
-- entries in the index coupon_free until PostgreSQL vacuums it. The position in `product` was lost when codes with an
-- earlier last day were added, and a sold-out product had none. Then a claim read the entries of all assigned codes.

call lock_exclusively('product', 'coupon');

-- The last days on which the product may have free codes; 'infinity' for codes without a last day. No free code of the
-- day has a lower `pos`. A day without a row has no free code. Triggers add rows, in the transaction that adds the codes.
-- `advance_claim_days` raises `pos`, and deletes rows.
create table claim_day (
  product_id uuid not null references product (product_id),
  use_by     date not null,
  pos        bigint not null,
  primary key (product_id, use_by)
);
-- A recursive query, because coupon may have a million rows. Each step finds the first free code of the next day. The
-- first step begins at the position that the previous version has stored.
insert into claim_day (product_id, use_by, pos)
  with recursive day as (
    select p.product_id, first.use_by, first.pos from product p cross join lateral (
      select c.use_by, c.pos from coupon c
      where c.product_id = p.product_id and c.holder is null and c.voided_at is null
        and (c.use_by, c.pos) >= (coalesce(p.claim_use_by, '-infinity'), coalesce(p.claim_pos, 0))
      order by c.use_by, c.pos limit 1) first
    union all
    select day.product_id, next.use_by, next.pos from day cross join lateral (
      select c.use_by, c.pos from coupon c
      where c.product_id = day.product_id and c.use_by > day.use_by and c.holder is null and c.voided_at is null
      order by c.use_by, c.pos limit 1) next
  )
  select product_id, use_by, pos from day;
alter table product drop column claim_use_by, drop column claim_pos;

create function open_claim_days() returns trigger language plpgsql as $$
begin
  insert into claim_day as d (product_id, use_by, pos)
    select product_id, use_by, min(pos) from added
    where holder is null and voided_at is null group by product_id, use_by order by product_id, use_by
  on conflict (product_id, use_by) do update set pos = excluded.pos where d.pos > excluded.pos;
  return null;
end $$;
create trigger coupon_added_is_claimable after insert on coupon referencing new table as added
  for each statement execute function open_claim_days();

create function open_claim_day() returns trigger language plpgsql as $$
begin
  insert into claim_day as d (product_id, use_by, pos) values (new.product_id, new.use_by, new.pos)
  on conflict (product_id, use_by) do update set pos = excluded.pos where d.pos > excluded.pos;
  return null;
end $$;
create trigger coupon_freed_is_claimable after update of product_id, use_by, pos, voided_at on coupon
  for each row when (new.holder is null and new.voided_at is null) execute function open_claim_day();

-- Moves a product's positions to its first free codes, and deletes the days without free codes. The lock and the second
-- search make sure that no code is missed: a transaction that adds codes of a day locks this day's row until it ends, so
-- the row is skipped. The second search is a new statement, so it sees all codes that were added before the lock.
create function advance_claim_days(product uuid) returns void language plpgsql as $$
declare
  day claim_day;
  first_pos bigint;
begin
  for day in
    select d.* from claim_day d
    where d.product_id = product and d.pos is distinct from (
      select c.pos from coupon c
      where c.product_id = product and c.use_by = d.use_by and c.holder is null and c.voided_at is null and c.pos >= d.pos
      order by c.pos limit 1)
    for update skip locked
  loop
    select c.pos into first_pos from coupon c
    where c.product_id = product and c.use_by = day.use_by and c.holder is null and c.voided_at is null and c.pos >= day.pos
    order by c.pos limit 1;
    if first_pos is null then
      delete from claim_day d where d.product_id = product and d.use_by = day.use_by;
    else
      update claim_day d set pos = first_pos where d.product_id = product and d.use_by = day.use_by;
    end if;
  end loop;
end $$;

-- Replaces the function of 0015. Assigns the product's next free code to a user, and writes the audit line (0005). The
-- search begins after the position (after_use_by, after_pos); without a position, at the first day of claim_day. Returns
-- the code and its position, or null if there is none. With `waits`, waits for codes that another transaction has locked,
-- and searches twice: while it waits, the other transaction may give the codes an earlier last day. Without `waits`, skips
-- locked codes. Checks neither access nor the product: the claim does so, and calls this function only for a user without
-- a code. So a learner who redeems again does not pay for the plan of these changes.
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
