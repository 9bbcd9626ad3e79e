-- Adds to each line of the audit log by what way the act came and, for acts of staff, from which address. Adds the
-- cohort or the batch of codes that the line is about.

-- As in 0015: gives up the lock after 0.4 s, and tries again, so that learners do not wait.
set local lock_timeout = '400ms';
do $$ begin
  loop
    begin
      lock table audit in access exclusive mode;
      exit;
    exception when lock_not_available then perform pg_sleep(0.1);
    end;
  end loop;
end $$;
set local lock_timeout = 0;

-- A type instead of a CHECK constraint: PostgreSQL parses a constraint again in each statement that adds a line.
create type audit_way as enum ('page', 'key', 'operator', 'portal');  -- 'key' is an API key
alter table audit
  add column via       audit_way not null default 'page',
  add column ip        inet,                            -- only for acts of staff and keys, never of learners
  add column cohort_id uuid,
  add column batch_id  bigint;
