-- The portal's own tables. Times are UTC; an address is stored trimmed and in lower case.

create table app_user (
  id           bigint generated always as identity primary key,
  user_id      uuid not null default gen_random_uuid() unique,
  email        text not null unique check (email = lower(btrim(email)) and email <> ''),
  name         text,
  phone_number text,
  user_role    text not null default 'user' check (user_role in ('user', 'admin')),
  payment_id   text,                            -- never leaves the server
  all_products boolean not null default false,  -- every product, later ones included
  auth_id      uuid,                            -- who this is to the sign-in service, once seen
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);

create table product (
  product_id    uuid primary key default gen_random_uuid(),
  name          text not null check (name <> ''),
  description   text not null,
  url           text not null,
  page_title    text,
  header_text   text,
  instructions  text,
  shared_coupon boolean not null default false,
  created_at    timestamptz not null default clock_timestamp(),
  archived_at   timestamptz,
  unique (product_id, shared_coupon)
);

create table product_access (
  user_id    bigint not null references app_user (id),
  product_id uuid not null references product (product_id),
  granted_at timestamptz not null default now(),
  granted_by text not null,                     -- an administrator's address, or 'operator'
  primary key (user_id, product_id)
);

-- Where codes came from: a form, a file, or made up by the portal.
create table coupon_batch (
  id         bigint generated always as identity primary key,
  product_id uuid not null references product (product_id),
  source     text not null check (source in ('form', 'file', 'generated')),
  file_name  text,
  created_by text not null,
  created_at timestamptz not null default now()
);

-- One row a handing-out. A free row has no holder; once it has one, that never changes (see the trigger).
create table coupon (
  id          bigint generated always as identity primary key,
  product_id  uuid not null,
  batch_id    bigint not null references coupon_batch (id),
  -- The claim's own order. Only coupon_free may cover it: with an order column that another index covers, the planner
  -- takes that index and walks every code already taken.
  pos         bigint generated always as identity,
  coupon_code text not null check (coupon_code <> ''),
  shared      boolean not null,                 -- the product's shared_coupon: the same code may stand here twice
  usage_limit integer check (usage_limit >= 1),
  holder      bigint references app_user (id),
  assigned_at timestamptz,
  assigned_by text,                             -- 'learner', or an administrator's address
  assigned    boolean generated always as (holder is not null) stored,
  is_current  boolean not null default false,   -- of the codes that the holder has for this product, the one shown
  created_at  timestamptz not null default now(),
  foreign key (product_id, shared) references product (product_id, shared_coupon) on update cascade,
  check ((holder is null) = (assigned_at is null)),
  check ((holder is null) = (assigned_by is null)),
  check (holder is not null or not is_current)
);

-- A code exists once in its product, unless the product's codes are shared.
create unique index coupon_code_once on coupon (product_id, coupon_code) where not shared;
-- A user has at most one current code of a product: this decides between two presses of the same learner.
create unique index coupon_current on coupon (product_id, holder) where is_current;
-- What is left to hand out, in order.
create index coupon_free on coupon (product_id, pos) where holder is null;
-- Everything a user was ever given.
create index coupon_holder on coupon (holder, id) where holder is not null;
-- The newest code of a shared product.
create index coupon_shared on coupon (product_id, id) where shared;
-- How often a shared code was given.
create index coupon_shared_uses on coupon (product_id, coupon_code) where shared and holder is not null;

-- A code that was handed out stays with its holder, and so does what is known of the handing-out, whatever the program
-- does.
create function keep_handed_out_coupon() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon that was handed out stays with its holder'
    using errcode = 'integrity_constraint_violation';
end $$;

create trigger coupon_holder_stays before update on coupon for each row
  when (old.holder is not null and (new.id, new.product_id, new.batch_id, new.coupon_code, new.holder, new.assigned_at,
    new.assigned_by, new.created_at) is distinct from (old.id, old.product_id, old.batch_id, old.coupon_code, old.holder,
    old.assigned_at, old.assigned_by, old.created_at))
  execute function keep_handed_out_coupon();

create trigger coupon_row_stays before delete on coupon for each row
  when (old.holder is not null)
  execute function keep_handed_out_coupon();

create trigger coupon_is_not_emptied before truncate on coupon for each statement
  execute function keep_handed_out_coupon();

-- What was done, by whom; written in the transaction of the change itself, and only ever added to.
create table audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  actor      text not null,                     -- 'learner', an administrator's address, 'operator' or 'portal'
  action     text not null,                     -- noun.verb, such as coupon.redeem
  user_id    bigint,                            -- app_user.id, when it concerns one
  product_id uuid,
  coupon_id  bigint,
  detail     jsonb not null default '{}'
);

create index audit_user on audit (user_id, id) where user_id is not null;

create function keep_audit() returns trigger language plpgsql as $$
begin
  raise exception 'the audit table is only added to' using errcode = 'integrity_constraint_violation';
end $$;

create trigger audit_is_kept before update or delete on audit for each row execute function keep_audit();
create trigger audit_is_not_emptied before truncate on audit for each statement execute function keep_audit();
