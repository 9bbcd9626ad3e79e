-- A person can be erased (R-PRIV-02 to R-PRIV-05). The row stays, because the codes of the person stay with it.
call lock_exclusively('app_user', 'audit', 'coupon');

alter table app_user add column erased_at timestamptz;
comment on column app_user.erased_at is 'when the person was erased: the row keeps only ids and codes, and is in no list of people';

create table erasure (
  user_id uuid primary key,
  at timestamptz not null
);
comment on table erasure is 'Who was erased (app_user.user_id), and when. A restore of an older backup erases these people again.';

create function tally_erased_user() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, n) values ('user', -1);
  return null;
end $$;

create trigger app_user_erased_is_told after update of erased_at on app_user
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function tally_erased_user();

-- The transaction that erases a person sets portal.erases. It may replace the texts about the person, and nothing else.

create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.at < nullif(current_setting('portal.prune_audit_before', true), '')::timestamptz then
      return old;
    end if;
  elsif tg_op = 'UPDATE' then
    if current_setting('portal.erases', true) = 'on'
      and (new.id, new.at, new.action, new.user_id, new.product_id, new.coupon_id, new.via, new.cohort_id, new.batch_id,
        new.actor_id, new.group_id, new.summary_of)
      is not distinct from (old.id, old.at, old.action, old.user_id, old.product_id, old.coupon_id, old.via, old.cohort_id,
        old.batch_id, old.actor_id, old.group_id, old.summary_of)
    then
      return new;
    end if;
  end if;
  raise exception 'the audit table is only added to' using errcode = 'integrity_constraint_violation';
end $$;
comment on function keep_audit is
  'Lines are only added. The command that removes old lines sets portal.prune_audit_before for its own transaction,
  and only lines before that moment can be removed in it. The transaction that erases a person sets portal.erases, and
  may change actor, name, IP address and detail.';

create or replace function keep_assignment() returns trigger language plpgsql as $$
declare
  erases boolean := coalesce(current_setting('portal.erases', true) = 'on', false);
begin
  if (new.id, new.product_id, new.batch_id, new.coupon_code, new.holder, new.assigned_at, new.created_at, new.use_by)
      is distinct from (old.id, old.product_id, old.batch_id, old.coupon_code, old.holder, old.assigned_at,
        old.created_at, old.use_by)
    or (new.assigned_by is distinct from old.assigned_by
      and not (erases and 'learner' not in (new.assigned_by, old.assigned_by)))
    or (old.revoked_at is not null and (new.revoked_at is distinct from old.revoked_at
      or ((new.revoked_by, new.revoke_reason) is distinct from (old.revoked_by, old.revoke_reason) and not erases)))
  then
    raise exception 'a coupon that was handed out stays with its holder'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
comment on function keep_assignment is
  'An assigned code keeps its holder, the data of its assignment and its last day, and a revoked code stays revoked. The
  transaction that erases a person sets portal.erases, and may replace the names of members of the team.';

-- `traces`: [1] a pattern of addresses, [2] the text that takes their place, [3] a pattern of names and phone numbers of
-- several words, [4] a pattern of single words. Case matters only in [4].

create function has_trace(value text, traces text[]) returns boolean language sql immutable parallel safe as $$
  select value ~* traces[1] or value ~* traces[3] or value ~ traces[4]
$$;
comment on function has_trace is 'Returns true if the text contains one of the texts of a person (`traces`, see erase.sql.ts).';

create function erase_text(value text, traces text[]) returns text language sql immutable parallel safe as $$
  select regexp_replace(regexp_replace(regexp_replace(value, traces[1], traces[2], 'gi'), traces[3], 'erased', 'gi'),
    traces[4], 'erased', 'g')
$$;
comment on function erase_text is 'Returns the text without the texts of a person (`traces`, see erase.sql.ts).';

create function erase_json(value jsonb, traces text[]) returns jsonb language plpgsql immutable parallel safe as $$
begin
  if jsonb_typeof(value) = 'string' then
    return to_jsonb(erase_text(value #>> '{}', traces));
  elsif jsonb_typeof(value) = 'array' then
    return (select coalesce(jsonb_agg(erase_json(item, traces) order by n), '[]')
            from jsonb_array_elements(value) with ordinality items (item, n));
  elsif jsonb_typeof(value) = 'object' then
    return (select coalesce(jsonb_object_agg(key, erase_json(item, traces)), '{}') from jsonb_each(value) items (key, item));
  end if;
  return value;
end $$;
comment on function erase_json is 'Does the same as erase_text for each text of a JSON value.';

create function erase_lines(source text, traces text[]) returns text language sql immutable parallel safe as $$
  select string_agg(case when line ~* traces[1] then
      regexp_replace(regexp_replace(regexp_replace(line, traces[1], '', 'gi'), traces[3], '', 'gi'), traces[4], '', 'g')
      else line end, E'\n' order by n)
  from unnest(string_to_array(source, E'\n')) with ordinality lines (line, n)
$$;
comment on function erase_lines is
  'Returns the text of a file without the texts of a person, in the lines that have an address of the person. The number
  of lines stays.';

create function public_actor(actor text, actor_id bigint) returns text language sql stable as $$
  select coalesce(
    (select u.user_id::text from app_user u where u.id = actor_id),
    (select u.user_id::text from app_user u where u.email = actor),
    case when actor like '%@%' then 'somebody else' else actor end)
$$;
comment on function public_actor is 'Returns the public id of a member of the team, by app_user.id or by address. Other actors, such as ''learner'',
  keep their name. For documents that must not contain the addresses of other people.';

create function address_pattern(email text) returns text language sql immutable parallel safe as $$
  select '(?<![[:alnum:]._%+-])' || regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]-]|[.][[:alnum:]])'
$$;
comment on function address_pattern is 'Returns a pattern of a whole address: the address ann@example.org is no part of joann@example.org.';
