-- Stores who else gave what an upload had given before: an upload that is taken back leaves it to them. A later gift that
-- finds a grant, a membership, a product or a code that is there already adds a row. The first giver has none: a grant
-- has it in `import_id`; of memberships and products the log tells it; a code has its batch. `import_id` is a later
-- upload of people; null if staff gave it in another way, which cannot be taken back. Processes of the previous version
-- add no rows.

-- A foreign key locks the table it refers to against writes.
call lock_exclusively('access_grant', 'cohort_member', 'product', 'coupon_batch');

create table access_grant_source (
  grant_id  bigint not null references access_grant (id),
  user_id   bigint not null,                             -- that of the grant
  import_id uuid,
  given_by  text not null,
  given_at  timestamptz not null default now(),
  starts_on date not null,                               -- the days that were given
  ends_on   date,
  unique nulls not distinct (grant_id, import_id)
);
create index access_grant_source_import on access_grant_source (import_id, user_id) where import_id is not null;

-- If the upload that made a membership is taken back, the oldest of these rows takes its place: the membership then has
-- `joined_at` and `joined_by` of the row, and the row stays.
create table cohort_member_source (
  cohort_id uuid not null,
  user_id   bigint not null,
  import_id uuid,
  given_by  text not null,
  given_at  timestamptz not null default now(),
  unique nulls not distinct (cohort_id, user_id, import_id),
  foreign key (cohort_id, user_id) references cohort_member (cohort_id, user_id) on delete cascade
);
create index cohort_member_source_import on cohort_member_source (import_id, user_id) where import_id is not null;

create table product_source (
  product_id uuid not null references product (product_id),
  import_id  uuid not null,
  primary key (product_id, import_id)
);
create index product_source_import on product_source (import_id);

-- `named_by` is a batch whose file has the code too, with the last day `use_by`; `batch_id` is the batch in which the code
-- was then. The code gets this day with the batch. Only codes that nobody held are noted. No foreign key to coupon: checking it locks the code, and claims skip locked codes. Codes are
-- never deleted.
create table coupon_source (
  coupon_id bigint not null,
  batch_id  bigint not null,
  named_by  bigint not null references coupon_batch (id),
  use_by    date not null,
  primary key (coupon_id, named_by)
);
create index coupon_source_batch on coupon_source (batch_id, coupon_id);
