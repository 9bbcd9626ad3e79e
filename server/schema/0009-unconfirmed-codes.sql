-- no transaction
-- Codes that the portal made carry a mark until staff say that the partner knows them (R-DAY-33). The default is a constant,
-- so no row is rewritten, and the codes of before have no mark. The two statements of the next line are one transaction.
call lock_exclusively('coupon'); alter table coupon add column if not exists unconfirmed boolean not null default false;
comment on column coupon.unconfirmed is 'the portal made the code, and staff have not said yet that the partner knows it';

-- An interrupted migration may have left an invalid index.
drop index concurrently if exists coupon_unconfirmed;
create index concurrently coupon_unconfirmed on coupon (product_id, id) where unconfirmed;
comment on index coupon_unconfirmed is 'Finds the codes of a product that the partner does not know yet.';

-- As before, but also returns `unconfirmed`.
create or replace function claim_next_coupon(
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
    returning id, coupon_code, use_by, pos, unconfirmed into claimed;
    exit when found;
  end loop;
  -- Between two runs of the job that advances the days, thousands of codes may be assigned. Each later claim would read the
  -- index entries of all of them.
  if claimed.pos - place.pos >= 128 then perform advance_claim_days(product); end if;
  insert into audit (at, actor, via, action, ip, actor_id, actor_name, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claimed_action, claimed_from, claimed_by_id, claimed_by_name,
    claimant, product, claimed.id, claimed_detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'unconfirmed', claimed.unconfirmed);
end $$;
comment on function claim_next_coupon(uuid, bigint, date, boolean, timestamptz, text, audit_way, inet, bigint, text, text, jsonb) is
  'Assigns the product''s next free code to a user, and writes the audit line. The search begins at the first day of
  claim_day after `today`. Returns the code, its last day and its mark `unconfirmed`, or null if there is none. With `waits`,
  waits for codes that another transaction has locked, and searches twice: while it waits, the other transaction may give the
  codes an earlier last day. Without `waits`, skips locked codes.';
comment on table generated_code is
  'The codes that the portal generated, also those that the partner knows by now: see coupon.unconfirmed. No foreign key: codes
  are never deleted.';
