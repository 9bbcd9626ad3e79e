-- The job queue: all work that runs after the response. Times are UTC, by the clock of the process that writes them.
-- A job that is done is deleted; what it did stands in the tables that it changed.

create table job (
  id         bigint generated always as identity primary key,
  kind       text not null,                     -- which handler runs it: server/src/jobs/job-kinds.ts
  key        text not null,                     -- what it is about: an address, an import; one job per kind and key
  lane       text not null,                     -- jobs of one lane share a limit of how many run at a time
  priority   smallint not null,                 -- lower runs first
  data       jsonb not null default '{}',
  state      text not null check (state in ('waiting', 'running', 'failed', 'cancelled')),
  tries      integer not null default 0,        -- since the job last made progress
  claims     integer not null default 0,        -- how often it was claimed: a process writes only under its own claim
  due_at     timestamptz not null,              -- while it runs: when its lease ends and another process may claim it
  created_at timestamptz not null,              -- of a recurring job: when it became due
  ended_at   timestamptz,                       -- when it was cancelled or failed; a recurring job that failed is tried on
  reason     text,                              -- why its last try failed
  check (state in ('waiting', 'running') or ended_at is not null)
);

create unique index job_once on job (kind, key) where state <> 'cancelled';
create index job_due on job (lane, priority, due_at, id) where state in ('waiting', 'running');
create index job_ended on job (ended_at) where ended_at is not null;

-- Adds a job and returns its id. Where one of that kind and key waits, runs or has failed: a failed one runs anew, with
-- `replace` any other too (under a new id, so that the end of the older run does not touch it); else null is returned.
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

-- Sign-in mails and imports are jobs from here on. Processes of the version before, which may run beside newer ones during an
-- upgrade, still send what is in auth_mail and run their own imports; what they leave behind is enqueued by a job (adopt).

-- An import ends as done, failed with its reason, or cancelled. A failed one keeps its file, so that it can be tried again.
alter table import_job drop constraint import_job_state_check, drop constraint import_job_check,
  add check (state in ('running', 'done', 'failed', 'cancelled')),
  add check (case state when 'running' then source is not null when 'failed' then true else source is null end),
  add column reason text;
