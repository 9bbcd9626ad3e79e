-- The pace at which all processes together send mails (R-MAP-31). One row, created when it is needed. The table is
-- unlogged, because the pace may be lost in a crash: the mail server asks again for fewer mails.
create unlogged table mail_pace (
  one        boolean primary key default true check (one),
  per_minute integer,                           -- null: the mail server has not asked for fewer mails
  accepted   integer not null default 0,        -- mails that were accepted since the pace changed
  changed_at timestamptz not null default 'epoch',
  delayed    text,                              -- the only mail delayed at RCPT TO since one was accepted; '*': several
  free_at    timestamptz not null default 'epoch'  -- when the next mail may be sent: the generic cell rate algorithm
);

call lock_exclusively('job');
alter table job
  add column tried_since timestamptz,           -- when the first try began
  add column unconfirmed boolean not null default false;  -- a try may have done its work although it failed

-- As before, and a replaced job begins without tries.
create or replace function enqueue_job(kind text, key text, lane text, priority integer, data jsonb, state text,
    now timestamptz, due_at timestamptz, replace boolean) returns bigint language sql as $$
  insert into job (kind, key, lane, priority, data, state, tries, claims, due_at, created_at)
  values ($1, $2, $3, $4, $5, $6, ($6 = 'running')::integer, ($6 = 'running')::integer, $8, $7)
  on conflict (kind, key) where state <> 'cancelled' do update set id = default, lane = excluded.lane,
    priority = excluded.priority, data = excluded.data, state = excluded.state, tries = excluded.tries,
    claims = excluded.claims, due_at = excluded.due_at, created_at = excluded.created_at, ended_at = null, reason = null,
    tried_since = null, unconfirmed = false
  where $9 or job.state = 'failed'
  returning id
$$;
