-- Lets staff check a file before they import it, keeps what became of each upload, and lets staff take an upload back.
-- New states of an import: 'checking' (the rows are compared with the database), 'checked' (the file waits until staff
-- import or discard it), 'refused' (the file cannot be read; `reason` says why) and 'taken_back'. The new kind 'undo' is
-- the job that takes back an upload; 'act' is the job of an act on many people. Processes of the previous version run
-- only imports in the state 'running', so they never import a file that is only to be checked.

alter table import_job
  drop constraint import_job_state_check, drop constraint import_job_check, drop constraint import_job_kind_check,
  add constraint import_job_kind_check
    check (kind in ('products', 'users', 'coupons', 'void', 'use_by', 'act', 'undo')),
  add constraint import_job_state_check
    check (state in ('running', 'checking', 'checked', 'done', 'failed', 'refused', 'cancelled', 'taken_back')),
  add constraint import_job_check
    check (case when state in ('running', 'checking', 'checked') then source is not null
                when state = 'failed' then true else source is null end);

create index import_job_checked on import_job (worked_at) where state in ('checking', 'checked');

-- Rows of an imported file of which the summary gives a file: rows that were skipped as duplicates (at most 100,000),
-- and rows without a code with the code that the portal generated.
create table import_row (
  import_id uuid not null references import_job (id) on delete cascade,
  kind      text not null check (kind in ('duplicate', 'generated')),
  row       integer not null,                    -- line number in the file; the header is line 1
  message   text not null,
  cells     text[] not null,                     -- in the order of the columns of this kind of import
  primary key (import_id, kind, row)
);
