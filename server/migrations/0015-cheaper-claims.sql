-- Makes claims cheaper. PostgreSQL parses the conditions of a table's triggers and CHECK constraints again in each
-- statement that changes a row. With the long conditions of 0011, this parsing took a fifth of the time of a claim.

-- Processes of the previous version serve learners while this runs. The changes below need an exclusive lock on coupon.
-- Statements of learners wait behind a transaction that waits for such a lock. So after 0.4 s this transaction gives up
-- the lock, and tries again.
set local lock_timeout = '400ms';
do $$ begin
  loop
    begin
      lock table coupon in access exclusive mode;
      exit;
    exception when lock_not_available then perform pg_sleep(0.1);
    end;
  end loop;
end $$;
set local lock_timeout = 0;

-- Replaces the trigger of 0011. The trigger's condition is short. The function compares the columns, and runs only if
-- the code has a holder already.
create function keep_assignment() returns trigger language plpgsql as $$
begin
  if (new.id, new.product_id, new.batch_id, new.coupon_code, new.holder, new.assigned_at, new.assigned_by, new.created_at, new.use_by)
      is distinct from (old.id, old.product_id, old.batch_id, old.coupon_code, old.holder, old.assigned_at, old.assigned_by,
        old.created_at, old.use_by)
    or (old.revoked_at is not null and (new.revoked_at, new.revoked_by, new.revoke_reason)
      is distinct from (old.revoked_at, old.revoked_by, old.revoke_reason))
  then
    raise exception 'a coupon that was handed out stays with its holder'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create or replace trigger coupon_holder_stays before update on coupon for each row
  when (old.holder is not null) execute function keep_assignment();

-- Replaces the CHECK constraints of 0011. What remains of them concerns the holder, which a claim sets. A trigger checks
-- the rest, only if a statement sets one of the columns. A claim sets none of them. 0016 validates the constraints.
alter table coupon drop constraint coupon_void, drop constraint coupon_revoked,
  add constraint coupon_void check (voided_at is null or holder is null) not valid,
  add constraint coupon_revoked check (revoked_at is null or holder is not null) not valid;
create function refuse_incomplete_mark() returns trigger language plpgsql as $$
begin
  raise exception 'a void or revoked coupon has a time, a person and a valid reason'
    using errcode = 'check_violation', constraint = 'coupon_marks', table = 'coupon';
end $$;
create trigger coupon_marks before insert or update of voided_at, voided_by, void_reason, revoked_at, revoked_by, revoke_reason
  on coupon for each row
  when (num_nulls(new.voided_at, new.voided_by, new.void_reason) % 3 <> 0
    or num_nulls(new.revoked_at, new.revoked_by, new.revoke_reason) % 3 <> 0
    or new.void_reason not in ('mistake', 'dead', 'expired', 'faulty'))
  execute function refuse_incomplete_mark();

-- Assigns the first free code of a product after the position (use_by, pos) to a user, and writes the audit line (0005).
-- Returns the code and its position, or null if there is none. With `waits`, waits for codes that another claim has
-- locked; else skips them. Checks neither access nor the product: the claim does so, and calls this function only for a
-- user without a code. So a learner who redeems again does not pay for the plan of these changes.
create function claim_next_coupon(
  product uuid, claimant bigint, after_use_by date, after_pos bigint, waits boolean,
  claimed_at timestamptz, claimed_by text, action text, detail jsonb
) returns jsonb language plpgsql as $$
declare
  claimed record;
begin
  -- The lock of this statement makes the next one find the row: a statement does not skip rows that its own transaction
  -- has locked.
  if waits then
    perform from coupon c
    where c.product_id = product and c.holder is null and c.voided_at is null and (c.use_by, c.pos) > (after_use_by, after_pos)
    order by c.use_by, c.pos limit 1 for update;
  end if;
  update coupon set holder = claimant, assigned_at = claimed_at, assigned_by = claimed_by, is_current = true
  where id = (
    select c.id from coupon c
    where c.product_id = product and c.holder is null and c.voided_at is null and (c.use_by, c.pos) > (after_use_by, after_pos)
    order by c.use_by, c.pos limit 1 for update skip locked)
  returning id, coupon_code, use_by, pos into claimed;
  if claimed.id is null then return null; end if;
  insert into audit (at, actor, action, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claim_next_coupon.action, claimant, product, claimed.id, claim_next_coupon.detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'pos', claimed.pos::text);
end $$;

-- Returns whether a grant of one of the user's cohorts gives access to the product on the day `today`. A part of the
-- condition of access (`hasAccess` in stores/access.ts). The function is called only for a user without a grant of their
-- own. If the claim contained this query, each claim would pay for its plan. With `limit 1`, the planner looks up the
-- grants of each of the user's cohorts; with a join, it may read the grants of all cohorts.
create function has_cohort_access(member bigint, product uuid, today date) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from cohort_member m cross join lateral (
      select from access_grant g join cohort o on o.cohort_id = g.cohort_id
      where g.cohort_id = m.cohort_id and o.archived_at is null
        and g.withdrawn_at is null and g.starts_on <= today and (g.ends_on is null or g.ends_on >= today)
        and (g.product_id = product or g.product_id is null)
      limit 1) given
    where m.user_id = member);
end $$;

-- As in 0005-tally, without a call of an SQL function, which costs more than the insertion itself.
create or replace function tally_claimed_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, day, n)
  values (case new.assigned_by when 'learner' then 'redeemed' else 'issued' end, new.product_id,
    (new.assigned_at at time zone 'utc')::date, 1);
  return null;
end $$;
