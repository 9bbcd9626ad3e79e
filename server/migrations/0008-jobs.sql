-- The job queue: all work that the portal does after it has responded to a request. Times are UTC, from the clock of
-- the process that writes the row. A finished job is deleted from the queue; its results are in other tables.

create table job (
  id         bigint generated always as identity primary key,
  kind       text not null,                     -- selects the handler: server/src/jobs/job-kinds.ts
  key        text not null,                     -- the subject: an address or an import; one job per kind and key
  lane       text not null,                     -- each lane limits how many of its jobs run at the same time
  priority   smallint not null,                 -- a lower number runs first
  data       jsonb not null default '{}',
  state      text not null check (state in ('waiting', 'running', 'failed', 'cancelled')),
  tries      integer not null default 0,        -- tries since the job last made progress
  claims     integer not null default 0,        -- number of the last claim; only that claim may write
  due_at     timestamptz not null,              -- when to run it; while it runs, when its lease ends
  created_at timestamptz not null,              -- for a recurring job: when it became due
  ended_at   timestamptz,                       -- when it failed or was cancelled; a recurring job runs again
  reason     text,                              -- why the last try failed
  check (state in ('waiting', 'running') or ended_at is not null)
);

create unique index job_once on job (kind, key) where state <> 'cancelled';
create index job_due on job (lane, priority, due_at, id) where state in ('waiting', 'running');
create index job_ended on job (ended_at) where ended_at is not null;

-- Adds a job and returns its id. The queue has at most one job per kind and key, apart from cancelled ones. If such a
-- job exists already:
-- - If it has failed, the new job replaces it.
-- - If it is waiting or running and `replace` is true, the new job replaces it.
-- - If it is waiting or running and `replace` is false, the function changes nothing and returns null.
-- The new job always gets a new id. So if the replaced job is still running, the end of its run does not change the new
-- job.
create function enqueue_job(kind text, key text, lane text, priority integer, data jsonb, state text, now timestamptz,
    due_at timestamptz, replace boolean) returns bigint language sql as $$
  insert into job (kind, key, lane, priority, data, state, tries, claims, due_at, created_at)
  values ($1, $2, $3, $4, $5, $6, ($6 = 'running')::integer, ($6 = 'running')::integer, $8, $7)
  on conflict (kind, key) where state <> 'cancelled' do update set id = default, lane = excluded.lane,
    priority = excluded.priority, data = excluded.data, state = excluded.state, tries = excluded.tries,
    claims = excluded.claims, due_at = excluded.due_at, created_at = excluded.created_at, ended_at = null, reason = null
  where $9 or job.state = 'failed'
  returning id
$$;

-- From this version on, sign-in mails and imports are jobs. During an upgrade, processes of the previous version may
-- still run. These processes send the mails in auth_mail and run imports without a job. When these processes have
-- stopped, the job 'adopt' enqueues the mails and imports that are not finished.

-- Adds the states 'failed' (with a reason) and 'cancelled' to imports. A failed import keeps the text of its file, so
-- that an administrator can retry the import.
alter table import_job drop constraint import_job_state_check, drop constraint import_job_check,
  add check (state in ('running', 'done', 'failed', 'cancelled')),
  add check (case state when 'running' then source is not null when 'failed' then true else source is null end),
  add column reason text;
