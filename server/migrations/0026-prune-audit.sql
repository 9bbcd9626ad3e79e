-- Lets `script/portal audit prune` remove old lines of the audit log (R-TRAIL-61). The command sets the variable for its
-- own transaction, and only lines before that moment can be removed in it. Without the variable the table is only added
-- to, as before. Replacing the function locks no table.

create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.at < nullif(current_setting('portal.prune_audit_before', true), '')::timestamptz then
      return old;
    end if;
  end if;
  raise exception 'the audit table is only added to' using errcode = 'integrity_constraint_violation';
end $$;
