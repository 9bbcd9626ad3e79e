-- Tables for CSV imports, and indexes for lists. The text of an imported file is stored until the import is done, so
-- that an interrupted import continues after a restart.

create table import_job (
  id             uuid primary key,
  kind           text not null check (kind in ('products', 'users', 'coupons')),
  file_name      text,
  product_ids    uuid[] not null default '{}',   -- for users: the products to grant; for coupons: the one product
  created_by     text not null,
  created_at     timestamptz not null default now(),
  state          text not null default 'running' check (state in ('running', 'done')),
  source         text,                           -- text of the file; null once the import is done
  batch_id       bigint references coupon_batch (id),
  rows_done      integer not null default 0,
  rows_total     integer not null,
  success        integer not null default 0,
  failures       integer not null default 0,
  duplicates     integer not null default 0,
  product_access integer not null default 0,
  worked_at      timestamptz not null default now(),  -- when a process last made progress
  check ((state = 'running') = (source is not null))
);

create index import_job_newest on import_job (created_at desc);
create index import_job_running on import_job (worked_at) where state = 'running';

-- The invalid rows of an imported file: the cells as they were uploaded, and the reason why the row is invalid.
create table import_error (
  import_id uuid not null references import_job (id) on delete cascade,
  row       integer not null,                    -- line number in the file; the header is line 1
  message   text not null,
  cells     text[] not null,                     -- in the order of the columns of this kind of import
  primary key (import_id, row)
);

-- Indexes for the lists of codes and users: in the order of creation (newest first), and for prefix search.
-- The indexes of coupon begin with the columns product_id and assigned. For one page of a list, a statement reads only
-- the first few codes of each product and state. So the time for a page does not depend on the number of codes.
-- Statements list the newest codes in the order of `-id`, and only the index coupon_newest has this order. With an
-- order by `id`, the planner could use the primary key instead, and would scan the codes of all other products.
-- The search indexes use the collation "C", so that texts are sorted by their bytes in every database.
create index coupon_newest on coupon (product_id, assigned, (-id));
create index coupon_code_search on coupon (product_id, assigned, (lower(coupon_code) collate "C"), id);
create index app_user_email_search on app_user ((email collate "C"), id);
create index app_user_name_search on app_user ((lower(name) collate "C"), id);
create index app_user_admin on app_user (id) where user_role = 'admin';
