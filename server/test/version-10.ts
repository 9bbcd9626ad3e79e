// The statements for learners of the portal version with schema 10. Tests of the upgrade run them.

/**
 * Assigns a code. Parameters: e-mail address, product_id, the position after which free codes are looked for, time,
 * assigned_by and action of the audit line.
 */
export const OLD_CLAIM = `
  with claimant as (
    select token.email, u.id as user_id, u.name, u.user_role, u.all_products
    from (select $1::text as email) token left join app_user u on u.email = token.email
  ), offer as (
    select p.url, p.shared_coupon,
           coalesce(claimant.all_products, false) or exists (
             select 1 from product_access a where a.user_id = claimant.user_id and a.product_id = p.product_id) as granted
    from claimant, product p where p.product_id = $2 and p.archived_at is null
  ), mine as (
    select coupon_code, assigned_at from coupon
    where product_id = $2 and holder = (select user_id from claimant) and is_current
  ), free as (
    select id from coupon
    where product_id = $2 and holder is null and pos > $3
      and not exists (select 1 from mine) and (select granted from offer)
    order by pos limit 1 for update skip locked
  ), claimed as (
    update coupon c
    set holder = (select user_id from claimant), assigned_at = $4, assigned_by = $5, is_current = true
    from free where c.id = free.id
    returning c.id, c.coupon_code, c.assigned_at, c.pos
  ), audited as (
    insert into audit (at, actor, action, user_id, product_id, coupon_id)
    select $4, $5, $6, (select user_id from claimant), $2, id from claimed
  )
  select claimant.user_id, coalesce(mine.coupon_code, claimed.coupon_code) as coupon_code, claimed.pos
  from claimant left join offer on true left join mine on true left join claimed on true`;

/** Lists the products of the learner with the e-mail address $1. Returns a row of nulls for a learner without products. */
export const OLD_MY_PRODUCTS = `
  with caller as (
    select token.email, u.id as user_id, u.name, u.user_role, u.all_products
    from (select $1::text as email) token left join app_user u on u.email = token.email)
  select p.product_id, p.name, p.description, p.url, p.page_title, p.header_text, p.instructions, p.shared_coupon,
         mine.assigned_at,
         mine.assigned_at is null
           and (select c.pos from coupon c where c.product_id = p.product_id and c.holder is null
                order by c.pos limit 1) is null
           and (not p.shared_coupon or not exists (
             select 1
             from (select coupon_code, usage_limit from coupon c
                   where c.product_id = p.product_id and c.shared order by c.id desc limit 1) newest
             where newest.usage_limit is null or newest.usage_limit > (
               select count(*) from coupon used
               where used.product_id = p.product_id and used.shared and used.coupon_code = newest.coupon_code
                 and used.holder is not null))) as sold_out
  from caller u
  left join product p on p.archived_at is null
    and (u.all_products or exists (
      select 1 from product_access a where a.user_id = u.user_id and a.product_id = p.product_id))
  left join coupon mine on mine.product_id = p.product_id and mine.holder = u.user_id and mine.is_current
  order by p.name, p.product_id`;
