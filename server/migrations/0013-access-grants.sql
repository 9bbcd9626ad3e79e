-- Copies the access of the previous version into access_grant, and removes the columns and tables that only the
-- previous version used. There are three parts. The first part copies access to single products. The second part copies
-- access to all products. During both, learners redeem, but staff who give access wait. During the second part, people
-- who sign in for the first time wait too. The third part removes the old columns and tables, and learners wait.

-- The first day of a copied grant is the day on which access was given, computed in UTC. In a time zone behind UTC,
-- this day may still be tomorrow, and the user would have no access today. So the first day is at most today's date in
-- UTC-12, the time zone that is farthest behind.
lock table product_access in share mode;
insert into access_grant (user_id, product_id, starts_on, granted_by, granted_at)
  select user_id, product_id,
         least((granted_at at time zone 'UTC')::date, (now() at time zone 'Etc/GMT+12')::date), granted_by, granted_at
  from product_access order by user_id, product_id;
-- A user or cohort has at most one standing grant for the same product and purchase. A second grant would fail here, so
-- `grantAccess` extends the days of the first one.
create unique index access_grant_once on access_grant (user_id, cohort_id, product_id, purchase_id)
  nulls not distinct where withdrawn_at is null;
create index access_grant_user on access_grant (user_id) where user_id is not null;
create index access_grant_cohort on access_grant (cohort_id) where cohort_id is not null;
create index access_grant_purchase on access_grant (purchase_id) where purchase_id is not null;
alter table access_grant add foreign key (product_id) references product (product_id);
alter table access_grant add foreign key (cohort_id) references cohort (cohort_id);

lock table app_user in share row exclusive mode;
insert into access_grant (user_id, product_id, starts_on, granted_by, granted_at)
  select u.id, null, least((given.at at time zone 'UTC')::date, (now() at time zone 'Etc/GMT+12')::date), given.actor, given.at
  from app_user u cross join lateral (
    select coalesce(max(a.at), u.created_at) as at, coalesce((array_agg(a.actor order by a.id desc))[1], 'operator') as actor
    from audit a where a.user_id = u.id and a.action = 'user.grant_all'
  ) given
  where u.all_products order by u.id;
alter table access_grant add foreign key (user_id) references app_user (id);
analyze access_grant;

-- From here on learners wait too, so the rest of this migration must be short. A statement of a learner locks the same
-- tables, in an order that the planner chooses: it may hold product and wait for app_user, while this transaction holds
-- app_user and waits for product (deadlock). PostgreSQL looks for a deadlock after 1 s, and then cancels one of the two.
-- So after 0.4 s this transaction releases these locks, and tries again.
set local lock_timeout = '400ms';
do $$ begin
  loop
    begin
      lock table app_user, product, product_access, coupon in access exclusive mode;
      exit;
    exception when lock_not_available then perform pg_sleep(0.1);
    end;
  end loop;
end $$;
set local lock_timeout = 0;

-- The trigger counted deleted codes. It is dropped, because from now on no code can be deleted.
drop trigger coupon_deleted_is_told on coupon;
drop function tally_deleted_coupons;
drop trigger coupon_row_stays on coupon;
create function keep_coupon() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon is never deleted' using errcode = 'integrity_constraint_violation';
end $$;
create trigger coupon_row_stays before delete on coupon for each row execute function keep_coupon();

drop index coupon_free;
alter index coupon_claimable rename to coupon_free;
alter table coupon drop column assigned;  -- with the indexes that contain it
alter index coupon_newest_of_state rename to coupon_newest;
alter index coupon_code_of_state rename to coupon_code_search;
drop table product_access;
alter table app_user drop column all_products;
