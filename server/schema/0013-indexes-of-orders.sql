-- no transaction
-- The codes of a product can be sorted by the time of assignment (R-DAY-12). coupon_free sorts the free ones by their
-- last day.

-- An interrupted migration may have left invalid indexes.
drop index concurrently if exists coupon_assigned;
create index concurrently coupon_assigned on coupon (product_id, (revoked_at is null), assigned_at, id) where assigned_at is not null;
comment on index coupon_assigned is 'Sorts the held and the revoked codes of a product by the time of assignment. The
  statements of a claim have conditions on the holder, so its condition keeps them from this index.';

-- The people of before 0012 get their last sign-in. The second statement corrects sign-ins during the first one, whose rows
-- the triggers did not see yet.
insert into person_sign_in (person_id, at)
select u.id, s.last_sign_in_at from app_user u left join auth_user s on s.email = u.email
on conflict do nothing;
update person_sign_in l set at = s.last_sign_in_at
from app_user u join auth_user s on s.email = u.email
where u.id = l.person_id and l.at is distinct from s.last_sign_in_at;
