-- Corrects two things about products with shared codes.

-- A code that the portal generates for one user (A-22) must not become the product's shared code: the partner does not
-- know it yet. Such a code is in a batch with the source 'generated'. A code that staff add in the form without a text
-- is for everybody, although the portal generates the text. From now on, its batch has the source 'form'.
update coupon_batch b set source = 'form'
  from product p
  where p.product_id = b.product_id and p.shared_coupon and b.source = 'generated'
    and exists (select from coupon c join audit a on a.coupon_id = c.id and a.action = 'coupon.create' where c.batch_id = b.id);

-- Returns whether a shared code can be the product's usable code on the day `today`.
create function is_usable_shared_code(code coupon, today date) returns boolean language sql stable as $$
  select code.use_by > today and not is_void_text(code)
    and not exists (select from coupon_batch b where b.id = code.batch_id and b.source = 'generated')
$$;

-- As in 0011, but leaves out codes that were generated for one user.
create or replace function usable_shared_code(product uuid, today date) returns setof coupon language plpgsql stable rows 1 as $$
begin
  return query
    select c.* from (select * from coupon c where c.product_id = product and c.shared order by c.id desc limit 1) c
    where is_usable_shared_code(c, today);
  if found then return; end if;
  return query
    with recursive given as (
      (select c.coupon_code, c.use_by + 0 as day from coupon c
       where c.product_id = product and c.shared order by c.coupon_code, c.use_by + 0 limit 1)
      union all
      select further.* from given cross join lateral (
        select c.coupon_code, c.use_by + 0 from coupon c
        where c.product_id = product and c.shared and (c.coupon_code, c.use_by + 0) > (given.coupon_code, given.day)
        order by c.coupon_code, c.use_by + 0 limit 1) further
    )
    select newest.* from given cross join lateral (
      select * from coupon c
      where c.product_id = product and c.shared and c.coupon_code = given.coupon_code and c.use_by + 0 = given.day
      order by c.id desc limit 1) newest
    where given.day > today and is_usable_shared_code(newest, today)
    order by newest.id desc limit 1;
end $$;

-- 0012 counted the assignments of a shared code as codes of its batch. The number of codes is what the import added.
-- For batches of an import without a row in import_job, it is the number of different texts.
update coupon_batch b set codes = coalesce(
    (select i.success from import_job i where i.batch_id = b.id and i.kind = 'coupons'),
    (select count(distinct c.coupon_code)::integer from coupon c
     where c.product_id = b.product_id and c.shared and c.batch_id = b.id))
  from product p
  where p.product_id = b.product_id and p.shared_coupon and b.codes is not null;
