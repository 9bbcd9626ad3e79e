-- Makes free codes void that look like another code of their product (R-MAP-02, N-302). Of free ones, the oldest stays. If
-- one of them is held or must not be used any more, none of the free ones stays. Held codes are not changed.

create function list_free_twins() returns table (id bigint, product_id uuid) language sql as $$
  with odd as materialized (
    select id, product_id, canonical_key(coupon_code) as text from coupon
    where not shared and octet_length(coupon_code) <> char_length(coupon_code)
  ), alike as (
    select text, id from odd
    union
    select o.text, c.id from odd o
      join coupon c on c.product_id = o.product_id and c.coupon_code = o.text and not c.shared
  ), ranked as (
    select c.id, c.product_id, c.holder is null and c.voided_at is null as is_free, row_number() over (
      partition by c.product_id, alike.text
      order by c.holder is null and c.void_reason is distinct from 'dead', c.voided_at is not null, c.id) as place
    from alike join coupon c using (id)
  )
  select id, product_id from ranked where is_free and place > 1
$$;

do $$
begin
  -- Learners wait for this lock only if there are such codes.
  if not exists (select from list_free_twins()) then return; end if;
  call lock_exclusively('coupon');
  with twin as materialized (select * from list_free_twins()), marked as (
    update coupon c set voided_at = now(), voided_by = 'portal', void_reason = 'duplicate' from twin where c.id = twin.id
  ), claims as (
    -- Claim hints of all processes become invalid, because many codes may be void now.
    update product set stock_version = stock_version + 1 where product_id in (select product_id from twin)
  )
  insert into audit (actor, via, action, product_id, coupon_id, detail)
    select 'portal', 'portal', 'coupon.void', product_id, id, '{"reason": "duplicate"}' from twin order by id;
end $$;

drop function list_free_twins;
