-- Imports of CSV files. The file is kept until its import is done, so that one that was cut off goes on after a restart.

create table import_job (
  id             uuid primary key,
  kind           text not null check (kind in ('products', 'users', 'coupons')),
  file_name      text,
  product_ids    uuid[] not null default '{}',   -- for users: what they are given; for coupons: the one product
  created_by     text not null,
  created_at     timestamptz not null default now(),
  state          text not null default 'running' check (state in ('running', 'done')),
  source         text,                           -- the file's text, until the import is done
  batch_id       bigint references coupon_batch (id),
  rows_done      integer not null default 0,
  rows_total     integer not null,
  success        integer not null default 0,
  failures       integer not null default 0,
  duplicates     integer not null default 0,
  product_access integer not null default 0,
  worked_at      timestamptz not null default now(),  -- when a process last got on with it
  check ((state = 'running') = (source is not null))
);

create index import_job_newest on import_job (created_at desc);
create index import_job_running on import_job (worked_at) where state = 'running';

-- The invalid rows, as they stood in the file, with the reason.
create table import_error (
  import_id uuid not null references import_job (id) on delete cascade,
  row       integer not null,                    -- its line in the file, the header being line 1
  message   text not null,
  cells     text[] not null,                     -- in the order of the kind's columns
  primary key (import_id, row)
);

-- Lists: the newest, and those whose code begins so, of one product and one state. A list over several takes the next
-- rows of each, so that a page costs the same whatever else there is. The order of the newest is one that this index
-- alone offers: ordered by id, the planner may walk the primary key past every code of another kind. Beginnings compare by bytes ("C"), whatever the
-- database's collation.
create index coupon_newest on coupon (product_id, assigned, (-id));
create index coupon_code_search on coupon (product_id, assigned, (lower(coupon_code) collate "C"), id);
create index app_user_email_search on app_user ((email collate "C"), id);
create index app_user_name_search on app_user ((lower(name) collate "C"), id);
create index app_user_admin on app_user (id) where user_role = 'admin';
