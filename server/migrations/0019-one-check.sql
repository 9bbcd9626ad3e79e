-- Makes claims cheaper. PostgreSQL parses each CHECK constraint of a table again in each statement that changes a row.
-- So the constraints on the holder, of 0001 and 0015, become one. A trigger checks the columns that no claim changes.

call lock_exclusively('coupon');

-- A code without a holder is free or void. A code with a holder is held or revoked. 0020 validates the constraint.
alter table coupon
  drop constraint coupon_check, drop constraint coupon_check1, drop constraint coupon_check2,
  drop constraint coupon_void, drop constraint coupon_revoked,
  drop constraint coupon_coupon_code_check, drop constraint coupon_usage_limit_check,
  add constraint coupon_state check (case when holder is null
    then assigned_at is null and assigned_by is null and not is_current and revoked_at is null
    else assigned_at is not null and assigned_by is not null and voided_at is null end) not valid;

create function refuse_invalid_code() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon has a text, and a usage limit of at least 1'
    using errcode = 'check_violation', constraint = 'coupon_values', table = 'coupon';
end $$;
create trigger coupon_values before insert or update of coupon_code, usage_limit on coupon for each row
  when (new.coupon_code = '' or new.usage_limit < 1) execute function refuse_invalid_code();
