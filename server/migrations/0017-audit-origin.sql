-- Adds to each line of the audit log by what way the act came and, for acts of staff, from which address. Adds the
-- cohort or the batch of codes that the line is about.

-- Locks tables exclusively until the transaction ends, for changes of their columns, constraints or triggers. Processes of
-- the previous version serve learners meanwhile. Statements of learners wait behind a transaction that waits for such a
-- lock. So after 0.4 s the procedure gives up, and tries again.
create procedure lock_exclusively(variadic tables text[]) language plpgsql as $$
begin
  set local lock_timeout = '400ms';
  loop
    begin
      execute format('lock table %s in access exclusive mode', array_to_string(tables, ', '));
      exit;
    exception when lock_not_available then perform pg_sleep(0.1);
    end;
  end loop;
  set local lock_timeout = 0;
end $$;

call lock_exclusively('audit');

-- A type instead of a CHECK constraint: PostgreSQL parses a constraint again in each statement that adds a line.
create type audit_way as enum ('page', 'key', 'operator', 'portal');  -- 'key' is an API key
alter table audit
  add column via       audit_way not null default 'page',
  add column ip        inet,                            -- only for acts of staff and keys, never of learners
  add column cohort_id uuid,
  add column batch_id  bigint;
