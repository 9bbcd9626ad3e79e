-- Counts the codes that each of staff was shown, for the limit of 30 in 10 minutes. The audit log has a line for each of
-- them too, but an index of these lines would cost each redemption too: PostgreSQL evaluates the condition of a partial
-- index for each line, 10,000 of 1,220,000 instructions.
create table code_reveal (
  staff   bigint not null references app_user (id),
  at      timestamptz not null default now(),
  refused boolean not null                        -- the portal refused to show a code, because of the limit
);
create index code_reveal_staff on code_reveal (staff, at);
