-- The present schema: what the migrations make, in the order in which they create it. Generated from the catalog of a new
-- database by `npm run schema`; do not edit it. The comments are those of the catalog.

-- Returns the canonical form of a code or an address, as canonicalKey of the contract does: without invisible
-- characters (Default_Ignorable_Code_Point), each Unicode space as a space, full-width characters as ASCII, in
-- Unicode's form NFC, trimmed. An address must be in lower case. The domain of an address keeps its form.
create function canonical_key(value text) returns text language sql immutable parallel safe as $$
  select btrim(normalize(translate(
    regexp_replace(
      regexp_replace(value, '[\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+', '', 'g'),
      '[\u0009-\u000d\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]', ' ', 'g'),
    '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～',
    '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~'), NFC))
$$;

-- Returns the letters and digits of a code or a note, in lower case. Removes the signs that stand between them: the
-- signs of ASCII and Latin-1, punctuation, and invisible characters.
create function code_letters(value text) returns text language sql immutable parallel safe as $$
  select lower(regexp_replace(value, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f\ufeff]+', '', 'g'))
$$;

-- Returns the words of a name and an address: without accents and invisible characters, in lower case, split at the
-- signs that stand between words. A word with ä, ö or ü is there a second time, with ae, oe or ue.
create function person_terms(name text, email text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array_remove(regexp_split_to_array(
    replace(replace(replace(replace(translate(lower(regexp_replace(
      normalize(words || ' ' || replace(replace(replace(lower(normalize(words, NFKC)), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), NFKD),
      '[\u0300-\u036f\u00ad\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]+', '', 'g')),
      'øłđıð', 'oldid'), 'ß', 'ss'), 'þ', 'th'), 'æ', 'ae'), 'œ', 'oe'),
    '[-\s.@+_''’`"“”„«»,;:()/]+'), ''))
  from (select coalesce(name, '') || ' ' || email as words) person
$$;

-- Returns the text of a tsquery for people of whom each word of `value` begins a word. Null if `value` has no word.
create function person_term_query(value text) returns text language sql immutable parallel safe as $$
  select string_agg('(' || spellings || ')', ' & ')
  from regexp_split_to_table(normalize(value, NFKC), '[-\s.@+_''’`"“”„«»,;:()/]+') word,
    lateral (select string_agg('''' || replace(term, '\', '\\') || ''':*', ' | ') as spellings
             from unnest(tsvector_to_array(person_terms(word, ''))) term) terms
$$;

-- The way by which an action came; 'key' is an API key.
create type audit_way as enum ('page', 'key', 'operator', 'portal');

-- For migrations: locks tables exclusively until the transaction ends, for changes of their columns, constraints or
-- triggers. Processes of the previous version serve learners meanwhile, and statements of learners wait behind a
-- transaction that waits for such a lock. So after 0.4 s the procedure gives up, and tries again.
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

-- People: learners and members of the team.
create table app_user (
  id bigint not null generated always as identity,
  user_id uuid not null default gen_random_uuid(),
  email text not null,
  name text,
  phone_number text,
  -- 'admin' for everybody with a role in the team, because calls return it
  user_role text not null default 'user',
  payment_id text,  -- never sent to clients
  auth_id uuid,  -- the user's id in the sign-in service; null before the first sign-in
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  team_role text,  -- null for learners
  invited_at timestamptz,  -- the last invitation to the team
  invited_by text,
  left_team_at timestamptz,  -- see left_team, which remembers removals by address
  -- since when the mail server refuses mails to the address for good; the next sign-in by mail, and staff, clear it
  mail_refused_at timestamptz,
  mail_refused_reason text,  -- the words of the mail server
  -- counts the changes of address, name, phone number and role, so that an edit that was made from an older version
  -- is refused
  version integer not null default 1,
  -- When a member of the team hid the card 'Set up your portal'; null if never.
  setup_hidden_at timestamptz,
  -- when the person was erased: the row keeps only ids and codes, and is in no list of people
  erased_at timestamptz,
  constraint app_user_pkey primary key (id),
  constraint app_user_user_id_key unique (user_id),
  constraint app_user_email_key unique (email),
  constraint app_user_email_check check (email = lower(btrim(email)) and email <> ''),
  constraint app_user_user_role_check check (user_role in ('user', 'admin')),
  constraint app_user_team check ( case when user_role = 'admin' then team_role is not null and (team_role in ('viewer', 'support', 'manager', 'owner')) else team_role is null end)
);

create index app_user_email_search on app_user (email collate "C", id);

create index app_user_admin on app_user (id) where user_role = 'admin';

create index app_user_owner on app_user (id) where team_role = 'owner';

-- Finds the addresses that may differ from their canonical form: those with other characters than ASCII. They are
-- few, so changes of all other rows do not touch the index.
create index app_user_not_ascii on app_user (canonical_key(email)) where octet_length(email) <> char_length(email);

-- A trigger raises the version, because files and forms change these columns too.
create function raise_person_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

create trigger app_user_has_version before update of email, name, phone_number, team_role on app_user
  for each row when (old.email is distinct from new.email or old.name is distinct from new.name or old.phone_number is distinct from new.phone_number or old.team_role is distinct from new.team_role)
  execute function raise_person_version();

-- Addresses whose owner was removed from the team in the pages, or whose role moved to another address. ADMIN_EMAILS
-- does not make an owner of such an address.
create table left_team (
  email text not null,
  left_at timestamptz not null default now(),
  constraint left_team_pkey primary key (email)
);

create table product (
  product_id uuid not null default gen_random_uuid(),
  name text not null,
  description text not null,
  url text not null,
  page_title text,
  header_text text,
  instructions text,
  shared_coupon boolean not null default false,  -- one code for everybody
  created_at timestamptz not null default clock_timestamp(),
  archived_at timestamptz,
  opens_on date,  -- first and last day on which learners may redeem
  closes_on date,
  paused_at timestamptz,
  paused_by text,
  pause_note text,
  archived_by text,
  use_by_default date,  -- for codes that are added without a last day
  version integer not null default 1,  -- raised by each edit
  changed_by text,  -- who edited the product last, and when
  changed_at timestamptz,
  -- Kept for processes of the version before, which raise and read it. Nothing else uses it. A later migration drops
  -- it.
  stock_version bigint not null default 0,
  category text,  -- what learners filter by, as staff typed it
  value text,  -- what the benefit is worth, as staff typed it, such as 'worth 240 €'
  terms text,  -- the partner's terms, one a line
  perks text[],  -- up to three short advantages; null: the perks of the brand
  -- place on the learner's home; products with the same number are ordered by name
  "position" integer not null default 0,
  constraint product_pkey primary key (product_id),
  constraint product_product_id_shared_coupon_key unique (product_id, shared_coupon),
  constraint product_name_check check (name <> ''),
  constraint product_window check (opens_on <= closes_on)
);

-- Uploads: groups of codes that were added together.
create table coupon_batch (
  id bigint not null generated always as identity,
  product_id uuid not null,
  source text not null,  -- typed into a form, imported from a file, or generated by the portal for one user
  file_name text,
  created_by text not null,
  created_at timestamptz not null default now(),
  codes integer,  -- number of codes that the batch added; null until its import ends
  constraint coupon_batch_pkey primary key (id),
  constraint coupon_batch_product_id_fkey foreign key (product_id) references product(product_id),
  constraint coupon_batch_source_check check (source in ('form', 'file', 'generated'))
);

create index coupon_batch_listed on coupon_batch (id) where codes > 1;

create index coupon_batch_of_product on coupon_batch (product_id, id) where codes > 1;

-- Codes. A code is free, held, revoked or void. The holder of a revoked code keeps the row, but may not use the code.
-- A void code was free and is never assigned. A shared code has one row for each user to whom it is assigned. No code
-- is ever deleted.
create table coupon (
  id bigint not null generated always as identity,
  product_id uuid not null,
  batch_id bigint not null,
  pos bigint not null generated always as identity,  -- free codes with the same last day are assigned in this order
  coupon_code text not null,
  shared boolean not null,  -- as in product; a shared code may have several rows
  usage_limit integer,
  holder bigint,
  assigned_at timestamptz,
  assigned_by text,  -- 'learner', or the address of a member of the team
  is_current boolean not null default false,  -- the one of the holder's codes that the page shows
  created_at timestamptz not null default now(),
  use_by date not null default 'infinity',  -- the last day on which the partner accepts the code
  voided_at timestamptz,
  voided_by text,
  void_reason text,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text,
  -- the portal made the code, and staff have not said yet that the partner knows it
  unconfirmed boolean not null default false,
  constraint coupon_pkey primary key (id),
  constraint coupon_batch_id_fkey foreign key (batch_id) references coupon_batch(id),
  constraint coupon_holder_fkey foreign key (holder) references app_user(id),
  constraint coupon_product_id_shared_fkey foreign key (product_id, shared) references product(product_id, shared_coupon) on update cascade,
  constraint coupon_state check ( case when holder is null then assigned_at is null and assigned_by is null and not is_current and revoked_at is null else assigned_at is not null and assigned_by is not null and voided_at is null end),
  constraint coupon_batch_id_not_null1 not null batch_id
);

create unique index coupon_code_once on coupon (product_id, coupon_code) where not shared;

-- A user has at most one current code per product. If a learner redeems twice at the same moment, this index lets
-- only one of the two claims succeed.
create unique index coupon_current on coupon (product_id, holder) where is_current;

-- Finds the free codes of a product in the order of claims: the code that expires first is assigned first.
create index coupon_free on coupon (product_id, use_by, pos) where holder is null and voided_at is null;

-- Finds all codes that were ever assigned to a user.
create index coupon_holder on coupon (holder, id) where holder is not null;

-- Finds the newest code of a product with shared codes.
create index coupon_shared on coupon (product_id, id) where shared;

-- Finds the assignments of a shared code, to count them.
create index coupon_shared_uses on coupon (product_id, coupon_code) where shared and holder is not null;

-- Finds the texts and last days of shared codes; see usable_shared_code.
create index coupon_shared_text on coupon (product_id, coupon_code, (use_by + 0), id) where shared;

-- Finds whether the text of a shared code is void.
create index coupon_shared_void on coupon (product_id, coupon_code) where shared and voided_at is not null;

create index coupon_batch_free on coupon (batch_id, id) where assigned_by is null and voided_by is null;

create index coupon_batch_assigned on coupon (batch_id, revoked_by) where assigned_by is not null;

create index coupon_batch_void on coupon (batch_id, void_reason, id) where voided_by is not null;

-- Finds the first and the last day of the free codes of a batch.
create index coupon_batch_day on coupon (batch_id, (use_by + 0)) where assigned_by is null and voided_by is null;

-- Returns the stored state of a code: 0 free, 1 held, 2 revoked, 3 void, 4 void because it has expired. A code whose
-- last day has passed stays 0 until a job has made it void, some time after midnight.
create function coupon_state(holder bigint, revoked_at timestamptz, voided_at timestamptz, void_reason text) returns integer language sql immutable parallel safe as $$
  select case when holder is not null then case when revoked_at is null then 1 else 2 end
              when voided_at is null then 0 when void_reason = 'expired' then 4 else 3 end
$$;

create index coupon_newest_of_state on coupon (product_id, coupon_state(holder, revoked_at, voided_at, void_reason), (- id));

create index coupon_code_of_state on coupon (product_id, coupon_state(holder, revoked_at, voided_at, void_reason), lower(coupon_code) collate "C", id);

-- Finds the codes that may differ from their canonical form; see app_user_not_ascii.
create index coupon_not_ascii on coupon (product_id, canonical_key(coupon_code)) where octet_length(coupon_code) <> char_length(coupon_code);

-- Finds codes in notes of staff.
create index coupon_letters on coupon (code_letters(coupon_code) collate "C");

create function keep_handed_out_coupon() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon that was handed out stays with its holder'
    using errcode = 'integrity_constraint_violation';
end $$;

-- An assigned code keeps its holder, the data of its assignment and its last day, and a revoked code stays revoked.
-- The transaction that erases a person sets portal.erases, and may replace the names of members of the team.
create function keep_assignment() returns trigger language plpgsql as $$
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

create trigger coupon_holder_stays before update on coupon
  for each row when (old.holder is not null)
  execute function keep_assignment();

create function keep_coupon() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon is never deleted' using errcode = 'integrity_constraint_violation';
end $$;

create trigger coupon_row_stays before delete on coupon
  for each row
  execute function keep_coupon();

create trigger coupon_is_not_emptied before truncate on coupon
  for each statement
  execute function keep_handed_out_coupon();

create function refuse_incomplete_mark() returns trigger language plpgsql as $$
begin
  raise exception 'a void or revoked coupon has a time, a person and a valid reason'
    using errcode = 'check_violation', constraint = 'coupon_marks', table = 'coupon';
end $$;

create trigger coupon_marks before insert or update of voided_at, voided_by, void_reason, revoked_at, revoked_by, revoke_reason on coupon
  for each row when ((num_nulls(new.voided_at, new.voided_by, new.void_reason) % 3) <> 0 or (num_nulls(new.revoked_at, new.revoked_by, new.revoke_reason) % 3) <> 0 or (new.void_reason not in ('mistake', 'dead', 'expired', 'faulty', 'duplicate')))
  execute function refuse_incomplete_mark();

create function refuse_invalid_code() returns trigger language plpgsql as $$
begin
  raise exception 'a coupon has a text, and a usage limit of at least 1'
    using errcode = 'check_violation', constraint = 'coupon_values', table = 'coupon';
end $$;

create trigger coupon_values before insert or update of coupon_code, usage_limit on coupon
  for each row when (new.coupon_code = '' or new.usage_limit < 1)
  execute function refuse_invalid_code();

-- The codes that the portal generated, also those that the partner knows by now: see coupon.unconfirmed. No foreign
-- key: codes are never deleted.
create table generated_code (
  coupon_id bigint not null,
  constraint generated_code_pkey primary key (coupon_id)
);

-- Later files that have a code too that is there already. Only codes that nobody held are noted. If the upload that
-- added the code is taken back, the code stays with a later file, and gets its last day.
create table coupon_source (
  coupon_id bigint not null,
  batch_id bigint not null,  -- the batch in which the code was then
  named_by bigint not null,  -- the batch whose file has the code too, with the last day `use_by`
  use_by date not null,
  constraint coupon_source_pkey primary key (coupon_id, named_by),
  constraint coupon_source_named_by_fkey foreign key (named_by) references coupon_batch(id)
);

create index coupon_source_batch on coupon_source (batch_id, coupon_id);

-- Later uploads that have a product too that is there already: it stays with them if the upload that added it is
-- taken back.
create table product_source (
  product_id uuid not null,
  import_id uuid not null,
  constraint product_source_pkey primary key (product_id, import_id),
  constraint product_source_product_id_fkey foreign key (product_id) references product(product_id)
);

create index product_source_import on product_source (import_id);

-- Counts of codes that became void because they expired, but are not in an audit line yet. The audit line is written
-- when all expired codes of the product are void. The counts are in a table, so that an interrupted job loses none.
create table coupon_expiry (
  product_id uuid not null,
  day date not null,  -- the last day of these codes
  codes bigint not null,
  constraint coupon_expiry_pkey primary key (product_id, day),
  constraint coupon_expiry_product_id_fkey foreign key (product_id) references product(product_id)
);

-- Codes that each member of the team was shown, for the limit of 30 in 10 minutes.
create table code_reveal (
  staff bigint not null,
  at timestamptz not null default now(),
  refused boolean not null,  -- the portal refused to show a code, because of the limit
  constraint code_reveal_staff_fkey foreign key (staff) references app_user(id)
);

create index code_reveal_staff on code_reveal (staff, at);

-- Where the search for a free code begins, for each last day of a product's free codes: 'infinity' for codes without
-- a last day. No free code of the day has a lower `pos`. A day without a row has no free code. Triggers add rows, in
-- the transaction that adds the codes; advance_claim_days raises `pos`, and deletes rows.
create table claim_day (
  product_id uuid not null,
  use_by date not null,
  pos bigint not null,
  constraint claim_day_pkey primary key (product_id, use_by),
  constraint claim_day_product_id_fkey foreign key (product_id) references product(product_id)
);

create function open_claim_days() returns trigger language plpgsql as $$
begin
  insert into claim_day as d (product_id, use_by, pos)
    select product_id, use_by, min(pos) from added
    where holder is null and voided_at is null group by product_id, use_by order by product_id, use_by
  on conflict (product_id, use_by) do update set pos = excluded.pos where d.pos > excluded.pos;
  return null;
end $$;

create trigger coupon_added_is_claimable after insert on coupon referencing new table as added
  for each statement
  execute function open_claim_days();

create function open_claim_day() returns trigger language plpgsql as $$
begin
  insert into claim_day as d (product_id, use_by, pos) values (new.product_id, new.use_by, new.pos)
  on conflict (product_id, use_by) do update set pos = excluded.pos where d.pos > excluded.pos;
  return null;
end $$;

create trigger coupon_freed_is_claimable after update of product_id, use_by, pos, voided_at on coupon
  for each row when (new.holder is null and new.voided_at is null)
  execute function open_claim_day();

-- Moves a product's positions to its first free codes, and deletes the days without free codes.
create function advance_claim_days(product uuid) returns void language plpgsql as $$
declare
  day claim_day;
  first_pos bigint;
begin
  for day in
    select d.* from claim_day d
    where d.product_id = product and d.pos is distinct from (
      select c.pos from coupon c
      where c.product_id = product and c.use_by = d.use_by and c.holder is null and c.voided_at is null and c.pos >= d.pos
      order by c.pos limit 1)
    for update skip locked
  loop
    select c.pos into first_pos from coupon c
    where c.product_id = product and c.use_by = day.use_by and c.holder is null and c.voided_at is null and c.pos >= day.pos
    order by c.pos limit 1;
    if first_pos is null then
      delete from claim_day d where d.product_id = product and d.use_by = day.use_by;
    else
      update claim_day d set pos = first_pos where d.product_id = product and d.use_by = day.use_by;
    end if;
  end loop;
end $$;

-- Kept for processes of the version before, which begin the search after a place in their memory. Nothing else calls
-- it.
create function claim_next_coupon(product uuid, claimant bigint, after_use_by date, after_pos bigint, today date, waits boolean, claimed_at timestamptz, claimed_by text, claimed_via audit_way, claimed_from inet, claimed_by_id bigint, claimed_by_name text, action text, detail jsonb) returns jsonb language plpgsql as $$
declare
  claimed record;
  searches integer := 1;
begin
  loop
    if after_use_by > today then
      -- The lock of this statement makes the next one find the row: a statement does not skip rows that its own
      -- transaction has locked.
      if waits then
        perform from coupon c
        where c.product_id = product and c.use_by = after_use_by and c.holder is null and c.voided_at is null and c.pos > after_pos
        order by c.pos limit 1 for update;
      end if;
      update coupon set holder = claimant, assigned_at = claimed_at, assigned_by = claimed_by, is_current = true
      where id = (
        select c.id from coupon c
        where c.product_id = product and c.use_by = after_use_by and c.holder is null and c.voided_at is null and c.pos > after_pos
        order by c.pos limit 1 for update skip locked)
      returning id, coupon_code, use_by, pos into claimed;
      exit when found;
    end if;
    select d.use_by, d.pos - 1 into after_use_by, after_pos from claim_day d
    where d.product_id = product and d.use_by > greatest(after_use_by, today) order by d.use_by limit 1;
    if not found then
      if not waits or searches = 2 then return null; end if;
      searches := 2;
      after_use_by := null;
    end if;
  end loop;
  -- Between two runs of the job that advances the days, thousands of codes may be assigned.
  if claimed.pos % 256 = 0 then perform advance_claim_days(product); end if;
  insert into audit (at, actor, via, action, ip, actor_id, actor_name, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claim_next_coupon.action, claimed_from, claimed_by_id, claimed_by_name,
    claimant, product, claimed.id, claim_next_coupon.detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'pos', claimed.pos::text);
end $$;

-- Returns whether the text of a shared code is void. One void row makes the text void in all rows, but not a row with
-- the reason 'expired': the same text may have been uploaded again with a later last day.
create function is_void_text(code coupon) returns boolean language sql stable as $$
  select exists (
    select 1 from coupon c
    where c.product_id = code.product_id and c.coupon_code = code.coupon_code and c.shared and c.voided_at is not null
      and c.void_reason <> 'expired')
$$;

-- Returns whether a shared code can be the product's usable code on the day `today`. A code that the portal generated
-- for one user cannot: the partner does not know it yet.
create function is_usable_shared_code(code coupon, today date) returns boolean language sql stable as $$
  select code.use_by > today and not is_void_text(code)
    and not exists (select from coupon_batch b where b.id = code.batch_id and b.source = 'generated')
$$;

-- Returns the newest usable code of a product with shared codes: its last day is after `today`, its text is not void,
-- and it was not generated for one user.
create function usable_shared_code(product uuid, today date) returns setof coupon language plpgsql stable rows 1 as $$
begin
  return query
    select c.* from (select * from coupon c where c.product_id = product and c.shared order by c.id desc limit 1) c
    where is_usable_shared_code(c, today);
  if found then return; end if;
  return query
    with recursive given as (
      (select c.coupon_code, c.use_by + 0 as day from coupon c
       where c.product_id = product and c.shared order by c.coupon_code, c.use_by + 0 limit 1)
      union all
      select further.* from given cross join lateral (
        select c.coupon_code, c.use_by + 0 from coupon c
        where c.product_id = product and c.shared and (c.coupon_code, c.use_by + 0) > (given.coupon_code, given.day)
        order by c.coupon_code, c.use_by + 0 limit 1) further
    )
    select newest.* from given cross join lateral (
      select * from coupon c
      where c.product_id = product and c.shared and c.coupon_code = given.coupon_code and c.use_by + 0 = given.day
      order by c.id desc limit 1) newest
    where given.day > today and is_usable_shared_code(newest, today)
    order by newest.id desc limit 1;
end $$;

-- Returns whether a product with shared codes has no usable code, or its newest usable code has reached its usage
-- limit.
create function is_shared_sold_out(product uuid, today date) returns boolean language plpgsql stable as $$
begin
  return not exists (
    select from usable_shared_code(product, today) newest
    where newest.usage_limit is null or newest.usage_limit > (
      select count(*) from coupon used
      where used.product_id = product and used.shared and used.coupon_code = newest.coupon_code
        and used.holder is not null));
end $$;

-- Returns the free codes of a product whose last day is `today` or earlier: those that the job has not made void yet.
create function expired_coupons(product uuid, today date) returns setof coupon language plpgsql stable rows 1 set enable_seqscan to 'off' as $$
begin
  return query
    select c.* from claim_day d join coupon c
      on c.product_id = d.product_id and c.use_by = d.use_by and c.pos >= d.pos and c.holder is null and c.voided_at is null
    where d.product_id = product and d.use_by <= today;
end $$;

-- Returns the number of these codes for each product that has any.
create function count_expired_coupons(today date) returns table(product_id uuid, n bigint) language plpgsql stable rows 1 set enable_seqscan to 'off' as $$
begin
  return query
    select d.product_id, count(*) from claim_day d join coupon c
      on c.product_id = d.product_id and c.use_by = d.use_by and c.pos >= d.pos and c.holder is null and c.voided_at is null
    where d.use_by <= today group by d.product_id;
end $$;

-- Groups of people. A grant to a cohort gives access to each of its members.
create table cohort (
  cohort_id uuid not null default gen_random_uuid(),
  name text not null,
  note text,
  archived_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now(),
  version integer not null default 1,
  is_archived boolean not null default false,  -- set by a trigger from archived_at; grants have a copy of it
  constraint cohort_pkey primary key (cohort_id),
  constraint cohort_cohort_id_is_archived_key unique (cohort_id, is_archived),
  constraint cohort_name_check check (btrim(name) <> '')
);

create unique index cohort_name on cohort (lower(btrim(name)));

create function set_is_archived() returns trigger language plpgsql as $$
begin
  new.is_archived := new.archived_at is not null;
  return new;
end $$;

create trigger cohort_is_archived before insert or update of archived_at on cohort
  for each row
  execute function set_is_archived();

create table cohort_member (
  cohort_id uuid not null,
  user_id bigint not null,
  joined_at timestamptz not null default now(),
  joined_by text not null,
  purchase_id bigint,  -- the purchase by which the person joined
  constraint cohort_member_pkey primary key (cohort_id, user_id),
  constraint cohort_member_cohort_id_fkey foreign key (cohort_id) references cohort(cohort_id),
  constraint cohort_member_user_id_fkey foreign key (user_id) references app_user(id)
);

create index cohort_member_user on cohort_member (user_id, cohort_id);

-- Grants: a grant gives one product, or all products, to one user or to one cohort.
create table access_grant (
  id bigint not null generated always as identity,
  user_id bigint,
  cohort_id uuid,
  product_id uuid,  -- null: every product, also those added later
  starts_on date not null,
  ends_on date,  -- null: without end
  granted_by text not null,  -- the address of a member of the team, or 'operator'
  granted_at timestamptz not null default now(),
  purchase_id bigint,  -- the purchase that made the grant
  import_id uuid,  -- the import that made the grant
  withdrawn_at timestamptz,
  withdrawn_by text,
  withdraw_reason text,
  -- whether the cohort is archived, so that the statements that decide access do not read the table of cohorts
  cohort_archived boolean not null default false,
  constraint access_grant_pkey primary key (id),
  constraint access_grant_product_id_fkey foreign key (product_id) references product(product_id),
  constraint access_grant_user_id_fkey foreign key (user_id) references app_user(id),
  constraint access_grant_cohort_archived foreign key (cohort_id, cohort_archived) references cohort(cohort_id, is_archived) on update cascade,
  constraint access_grant_check check ((user_id is null) <> (cohort_id is null)),
  constraint access_grant_check1 check (purchase_id is null or user_id is not null),
  constraint access_grant_check2 check (starts_on <= ends_on),
  constraint access_grant_check3 check ((withdrawn_at is null) = (withdrawn_by is null)),
  constraint access_grant_check4 check ((withdrawn_at is null) = (withdraw_reason is null))
);

-- A user or cohort has at most one standing grant for the same product and purchase. A second grant would fail here,
-- so grantAccess extends the days of the first one.
create unique index access_grant_once on access_grant (user_id, cohort_id, product_id, purchase_id) nulls not distinct where withdrawn_at is null;

create index access_grant_user on access_grant (user_id) where user_id is not null;

create index access_grant_purchase on access_grant (purchase_id) where purchase_id is not null;

-- Finds the grants that an upload made, in the order in which imports lock grants.
create index access_grant_import on access_grant (import_id, user_id, product_id) where import_id is not null;

-- Has the columns that decide access, so that a learner's list of products does not read the table.
create index access_grant_of_cohort on access_grant (cohort_id) include (product_id, starts_on, ends_on, withdrawn_at, cohort_archived) where cohort_id is not null;

create function copy_is_archived() returns trigger language plpgsql as $$
begin
  -- Without such a cohort, the foreign key refuses the grant.
  new.cohort_archived := coalesce((select is_archived from cohort where cohort_id = new.cohort_id), false);
  return new;
end $$;

create trigger grant_of_archived_cohort before insert on access_grant
  for each row when (new.cohort_id is not null)
  execute function copy_is_archived();

-- Returns whether a grant of one of the user's cohorts gives access to the product on the day `today`. A part of the
-- condition of access (hasAccess in features/access/access.sql.ts), called only for a user without a grant of their
-- own.
create function has_cohort_access(member bigint, product uuid, today date) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from cohort_member m cross join lateral (
      select from access_grant g
      where g.cohort_id = m.cohort_id and not g.cohort_archived
        and g.withdrawn_at is null and g.starts_on <= today and (g.ends_on is null or g.ends_on >= today)
        and (g.product_id = product or g.product_id is null)
      limit 1) given
    where m.user_id = member);
end $$;

-- Who else gave a grant that was there already: if the upload that made the grant is taken back, it stays with them.
-- The first giver has no row: the grant has it in import_id.
create table access_grant_source (
  grant_id bigint not null,
  user_id bigint not null,  -- that of the grant
  import_id uuid,  -- a later upload of people; null if staff gave it in another way, which cannot be taken back
  given_by text not null,
  given_at timestamptz not null default now(),
  starts_on date not null,  -- the days that were given
  ends_on date,
  constraint access_grant_source_grant_id_import_id_key unique nulls not distinct (grant_id, import_id),
  constraint access_grant_source_grant_id_fkey foreign key (grant_id) references access_grant(id)
);

create index access_grant_source_import on access_grant_source (import_id, user_id) where import_id is not null;

-- As access_grant_source, of memberships. If the upload that made a membership is taken back, the oldest of these
-- rows takes its place: the membership then has joined_at and joined_by of the row, and the row stays.
create table cohort_member_source (
  cohort_id uuid not null,
  user_id bigint not null,
  import_id uuid,
  given_by text not null,
  given_at timestamptz not null default now(),
  constraint cohort_member_source_cohort_id_user_id_import_id_key unique nulls not distinct (cohort_id, user_id, import_id),
  constraint cohort_member_source_cohort_id_user_id_fkey foreign key (cohort_id, user_id) references cohort_member(cohort_id, user_id) on delete cascade
);

create index cohort_member_source_import on cohort_member_source (import_id, user_id) where import_id is not null;

-- The ids of forms that were sent, so that a form that is sent again adds nothing.
create table sent_form (
  id uuid not null,
  digest text not null,  -- SHA-256 of the form: another form with a used id is refused
  sent_at timestamptz not null default now(),
  constraint sent_form_pkey primary key (id)
);

-- Work on many rows: imports of files, changes of many codes or people, and undoing an upload. The text of an
-- imported file is stored until the import is done, so that an interrupted import continues after a restart.
create table bulk_job (
  id uuid not null,
  -- 'products', 'users' and 'coupons' import a file; 'void' and 'use_by' change the free codes of a batch; 'act'
  -- changes many people; 'undo' takes back an upload
  kind text not null,
  file_name text,
  product_ids uuid[] not null default '{}',  -- for users: the products to grant; for coupons: the one product
  created_by text not null,
  created_at timestamptz not null default now(),
  -- 'checking': the rows are compared with the database; 'checked': the file waits until staff import or discard it;
  -- 'refused': the file cannot be read; a failed import keeps its text, so that staff can retry it
  state text not null default 'running',
  source text,  -- text of the file, or empty if import_source has it; null once the import has ended
  batch_id bigint,
  rows_done integer not null default 0,
  rows_total integer not null,
  success integer not null default 0,
  failures integer not null default 0,
  duplicates integer not null default 0,
  product_access integer not null default 0,
  worked_at timestamptz not null default now(),  -- when a process last made progress
  reason text,  -- why the import failed or the file was refused
  -- number of codes that the portal generated for blank rows; success includes them
  generated integer not null default 0,
  starts_on date,  -- the days of the grants that an import of users makes
  ends_on date,
  detail jsonb not null default '{}',  -- parameters, progress and results of kinds that import no file
  cohort_id uuid,  -- the cohort that the people join
  joined integer not null default 0,  -- number of people who joined the cohort; already: who were members
  already integer not null default 0,
  source_id uuid,  -- null: source is the whole text; otherwise the pieces in import_source are the text
  constraint bulk_job_pkey primary key (id),
  constraint bulk_job_batch_id_fkey foreign key (batch_id) references coupon_batch(id),
  constraint bulk_job_cohort_id_fkey foreign key (cohort_id) references cohort(cohort_id),
  constraint bulk_job_kind_check check (kind in ('products', 'users', 'coupons', 'void', 'use_by', 'act', 'undo')),
  constraint bulk_job_state_check check (state in ('running', 'checking', 'checked', 'done', 'failed', 'refused', 'cancelled', 'taken_back')),
  constraint bulk_job_check check ( case when state in ('running', 'checking', 'checked') then source is not null when state = 'failed' then true else source is null end)
);

create index bulk_job_newest on bulk_job (created_at desc);

create index bulk_job_running on bulk_job (worked_at) where state = 'running';

create index bulk_job_checked on bulk_job (worked_at) where state in ('checking', 'checked');

create function record_imported_codes() returns trigger language plpgsql as $$
begin
  update coupon_batch set codes = case when new.state <> 'running' then new.success end where id = new.batch_id;
  return null;
end $$;

create trigger import_ended after update of state on bulk_job
  for each row when (new.kind = 'coupons' and new.state <> old.state)
  execute function record_imported_codes();

alter table import_source alter column text set storage external;

-- The text of a large file in pieces.
create table import_source (
  source_id uuid not null,  -- bulk_job.source_id; the pieces are stored before the row of the import
  piece integer not null,  -- from 0
  text text not null,
  is_last boolean not null default false,  -- the text is complete only with its last piece
  stored_at timestamptz not null default now(),
  constraint import_source_pkey primary key (source_id, piece)
);

create function delete_import_source() returns trigger language plpgsql as $$
begin
  delete from import_source where source_id = old.source_id;
  return null;
end $$;

create trigger import_source_ended after update of source on bulk_job
  for each row when (old.source_id is not null and new.source is null)
  execute function delete_import_source();

create trigger import_source_deleted after delete on bulk_job
  for each row when (old.source_id is not null)
  execute function delete_import_source();

-- The invalid rows of an imported file: the cells as they were uploaded, and the reason why the row is invalid.
create table import_error (
  import_id uuid not null,
  "row" integer not null,  -- line number in the file; the header is line 1
  message text not null,
  cells text[] not null,  -- in the order of the columns of this kind of import
  constraint import_error_pkey primary key (import_id, "row"),
  constraint import_error_import_id_fkey foreign key (import_id) references bulk_job(id) on delete cascade
);

-- Rows of an imported file of which the summary gives a file: rows that were skipped as duplicates (at most 100,000),
-- and rows without a code with the code that the portal generated.
create table import_row (
  import_id uuid not null,
  kind text not null,
  "row" integer not null,  -- line number in the file; the header is line 1
  message text not null,
  cells text[] not null,  -- in the order of the columns of this kind of import
  constraint import_row_pkey primary key (import_id, kind, "row"),
  constraint import_row_import_id_fkey foreign key (import_id) references bulk_job(id) on delete cascade,
  constraint import_row_kind_check check (kind in ('duplicate', 'generated'))
);

-- Each row records an action and who did it. The row is written in the same transaction as the action. Rows are never
-- changed; only `script/portal audit prune` deletes old ones.
create table audit (
  id bigint not null generated always as identity,
  at timestamptz not null default now(),
  actor text not null,  -- 'learner', the address of a member of the team, 'operator' or 'portal'
  action text not null,  -- noun.verb, for example coupon.redeem
  user_id bigint,  -- app_user.id, if the action concerns a user
  product_id uuid,
  coupon_id bigint,
  detail jsonb not null default '{}',
  via audit_way not null default 'page',
  ip inet,  -- only for actions of staff and keys, never of learners
  cohort_id uuid,
  batch_id bigint,
  -- id (app_user.id) and name of the member of the team who acted, as they were: the address may belong to somebody
  -- else by now; null for learners, the portal and the operator
  actor_id bigint,
  actor_name text,
  -- the lines that one job or one press wrote; null for a line on its own. A transaction names its group in the
  -- setting portal.audit_group
  group_id uuid default (nullif(current_setting('portal.audit_group', true), ''))::uuid,
  -- first words of the actions in the group, such as {user,grant}; null unless this line is the summary of its group.
  -- Summaries and lines without a group are the entries of the log
  summary_of text[],
  constraint audit_pkey primary key (id)
);

create index audit_person on audit (user_id, id);

create index audit_product on audit (product_id, id);

create index audit_coupon on audit (coupon_id, id);

create index audit_batch on audit (batch_id, id) where batch_id is not null;

create index audit_actor on audit (actor, id);

create index audit_at on audit (at, id);

create index audit_cohort on audit (cohort_id, id) where cohort_id is not null;

-- Finds the lines about a cohort as a whole, such as its grants. In audit_cohort they stand among the lines of very
-- many members.
create index audit_cohort_own on audit (cohort_id, id) where user_id is null and cohort_id is not null;

-- Lines are only added. The command that removes old lines sets portal.prune_audit_before for its own transaction,
-- and only lines before that moment can be removed in it. The transaction that erases a person sets portal.erases,
-- and may change actor, name, IP address and detail.
create function keep_audit() returns trigger language plpgsql as $$
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

create trigger audit_is_kept before delete or update on audit
  for each row
  execute function keep_audit();

create trigger audit_is_not_emptied before truncate on audit
  for each statement
  execute function keep_audit();

-- The last low-stock alert that was sent for each product, so that no alert is sent twice. The alert 'low' comes
-- first, and the alert 'empty' when no code is left.
create table stock_notice (
  product_id uuid not null,
  level text not null,
  sent_at timestamptz not null,
  constraint stock_notice_pkey primary key (product_id),
  constraint stock_notice_product_id_fkey foreign key (product_id) references product(product_id),
  constraint stock_notice_level_check check (level in ('low', 'empty'))
);

-- People who get a mail that benefits are theirs. One row for each upload, or form, and person. A mail lists all rows
-- of a person that are due, so one mail may end several rows.
create table ready_notice (
  id bigint not null generated always as identity,
  user_id bigint not null,
  product_ids uuid[] not null,  -- the products that the person did not have before
  due_on date not null,  -- the first day on which the person has them
  import_id uuid,  -- null: the form of one person
  language text not null,
  created_at timestamptz not null default now(),
  -- held: staff have not told the person, and may do so later; queued: a mail will announce the products
  state text not null default 'queued',
  mail_id bigint,  -- the job of the mail
  words text,  -- why no mail was sent
  ended_at timestamptz,
  constraint ready_notice_pkey primary key (id),
  constraint ready_notice_user_id_fkey foreign key (user_id) references app_user(id),
  constraint ready_notice_import_id_fkey foreign key (import_id) references bulk_job(id),
  constraint ready_notice_state_check check (state in ('held', 'queued', 'sent', 'failed', 'cancelled')),
  constraint ready_notice_check check ((state in ('held', 'queued')) = (ended_at is null))
);

create index ready_notice_person on ready_notice (user_id, state, ended_at);

create index ready_notice_import on ready_notice (import_id, state) where import_id is not null;

-- The job queue: all work that the portal does after it has responded to a request. Times are from the clock of the
-- process that writes the row. A finished job is deleted; its results are in other tables.
create table job (
  id bigint not null generated always as identity,
  kind text not null,  -- selects the handler: server/src/jobs/job-kinds.ts
  key text not null,  -- the subject: an address or an import; one job per kind and key
  lane text not null,  -- each lane limits how many of its jobs run at the same time
  priority smallint not null,  -- a lower number runs first
  data jsonb not null default '{}',
  state text not null,
  tries integer not null default 0,  -- tries since the job last made progress
  claims integer not null default 0,  -- number of the last claim; only that claim may write
  due_at timestamptz not null,  -- when to run it; while it runs, when its lease ends
  created_at timestamptz not null,  -- for a recurring job: when it became due
  ended_at timestamptz,  -- when it failed or was cancelled; a recurring job runs again
  reason text,  -- why the last try failed
  tried_since timestamptz,  -- when the first try began
  unconfirmed boolean not null default false,  -- a try may have done its work although it failed
  constraint job_pkey primary key (id),
  constraint job_state_check check (state in ('waiting', 'running', 'failed', 'cancelled')),
  constraint job_check check ((state in ('waiting', 'running')) or ended_at is not null)
);

create unique index job_once on job (kind, key) where state <> 'cancelled';

create index job_due on job (lane, priority, due_at, id) where state in ('waiting', 'running');

create index job_ended on job (ended_at) where ended_at is not null;

-- Adds a job and returns its id. Null if a job of the kind and key is waiting or running, and `replace` is false.
create function enqueue_job(kind text, key text, lane text, priority integer, data jsonb, state text, now timestamptz, due_at timestamptz, replace boolean) returns bigint language sql as $$
  insert into job (kind, key, lane, priority, data, state, tries, claims, due_at, created_at)
  values ($1, $2, $3, $4, $5, $6, ($6 = 'running')::integer, ($6 = 'running')::integer, $8, $7)
  on conflict (kind, key) where state <> 'cancelled' do update set id = default, lane = excluded.lane,
    priority = excluded.priority, data = excluded.data, state = excluded.state, tries = excluded.tries,
    claims = excluded.claims, due_at = excluded.due_at, created_at = excluded.created_at, ended_at = null, reason = null,
    tried_since = null, unconfirmed = false
  where $9 or job.state = 'failed'
  returning id
$$;

-- The pace at which all processes together send mails. One row, created when it is needed. Unlogged, because the pace
-- may be lost in a crash: the mail server asks again for fewer mails.
create unlogged table mail_pace (
  one boolean not null default true,
  per_minute integer,  -- null: the mail server has not asked for fewer mails
  accepted integer not null default 0,  -- mails that were accepted since the pace changed
  changed_at timestamptz not null default '1970-01-01 00:00:00+00',
  delayed text,  -- the only mail delayed at RCPT TO since one was accepted; '*': several
  -- when the next mail may be sent: the generic cell rate algorithm
  free_at timestamptz not null default '1970-01-01 00:00:00+00',
  constraint mail_pace_pkey primary key (one),
  constraint mail_pace_one_check check (one)
);

-- Users who have signed in at least once. This table does not decide which products a user gets. The products depend
-- on the row of app_user with the same e-mail address.
create table auth_user (
  id uuid not null default gen_random_uuid(),
  email text not null,
  email_confirmed_at timestamptz not null,
  user_metadata jsonb not null default '{}',  -- written by the user, so never used to authorize
  last_sign_in_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint auth_user_pkey primary key (id),
  constraint auth_user_email_key unique (email),
  constraint auth_user_email_check check (email = lower(btrim(email)) and email <> '')
);

-- Each row is one way in which a user has proved to own the e-mail address: by a sign-in mail (provider 'email'), or
-- by a sign-in at another provider.
create table auth_identity (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  provider text not null,
  provider_id text not null,  -- the user's id at the provider; for 'email' auth_user.id
  identity_data jsonb not null default '{}',
  last_sign_in_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- the address of the provider; '' for 'email'. An issuer's identifiers are unique only within this issuer (OpenID
  -- Connect Core 1.0, section 5.7)
  issuer text not null,
  constraint auth_identity_pkey primary key (id),
  constraint auth_identity_provider_issuer_provider_id_key unique (provider, issuer, provider_id),
  constraint auth_identity_user_id_fkey foreign key (user_id) references auth_user(id) on delete cascade
);

create index auth_identity_user on auth_identity (user_id);

-- Which person each account at Google, or at a hosted sign-in service, was linked to. So an account never signs in as
-- somebody else who gets the account's address later. The row stays when the person's address is edited, which
-- deletes the account of the sign-in service.
create table identity_person (
  provider text not null,  -- 'google'; 'hosted': a user of the hosted sign-in service
  issuer text not null,  -- as in auth_identity; '' for 'hosted'
  provider_id text not null,
  person_id bigint not null,  -- app_user.id; no foreign key, so that sign-ins lock no user
  since timestamptz not null default now(),  -- the link, or the last edit of the person's address
  constraint identity_person_pkey primary key (provider, issuer, provider_id)
);

create index identity_person_of on identity_person (person_id);

-- One row for each browser in which a user is signed in. If the row is deleted, the session ends immediately.
create table auth_session (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  refresh_counter bigint not null default 0,  -- counter of the current refresh token
  -- the last refresh; previously_refreshed_at: the one before. The last two used tokens are still accepted for a few
  -- seconds (AUTH_REUSE_SECONDS)
  refreshed_at timestamptz not null,
  amr jsonb not null,  -- how the user signed in: [{"method": "otp", "timestamp": 1700000000}]
  created_at timestamptz not null,
  previously_refreshed_at timestamptz,
  constraint auth_session_pkey primary key (id),
  constraint auth_session_user_id_fkey foreign key (user_id) references auth_user(id) on delete cascade
);

create index auth_session_user on auth_session (user_id);

-- Sessions with their users. The SQL statements of the portal join this view to check that a session still exists.
create view signed_in as
 select s.id as session_id,
    u.id as auth_id,
    u.email
   from auth_session s
     join auth_user u on u.id = s.user_id;

-- Hashes of the link and the code in the newest sign-in mail to an address. The row is deleted as soon as the link or
-- the code is used.
create table auth_one_time_token (
  email text not null,
  link_hash text not null,  -- SHA-256 of the link's token
  code_hash text not null,  -- HMAC of the six-digit code, keyed with SECRET_KEY
  code_tries integer not null default 0,
  code_challenge text,  -- PKCE (RFC 7636), if the client requested it
  code_challenge_method text,
  -- false: no mail was sent, and no link or code matches the hashes. The row exists so that checking a code takes
  -- equally long for all addresses, whether or not an address belongs to a user
  mailed boolean not null,
  expires_at timestamptz not null,
  constraint auth_one_time_token_pkey primary key (email),
  constraint auth_one_time_token_link_hash_key unique (link_hash),
  constraint auth_one_time_token_check check ((code_challenge is null) = (code_challenge_method is null))
);

-- The links and codes of the mails before the newest one. They stay valid: a mail server may deliver two mails in the
-- other order, and a person opens either. Deleting the row of an address in auth_one_time_token ends them too.
create table auth_earlier_token (
  link_hash text not null,
  email text not null,
  code_hash text not null,
  code_tries integer not null,
  code_challenge text,
  code_challenge_method text,
  expires_at timestamptz not null,
  constraint auth_earlier_token_pkey primary key (link_hash),
  constraint auth_earlier_token_email_fkey foreign key (email) references auth_one_time_token(email) on delete cascade
);

create index auth_earlier_token_email on auth_earlier_token (email);

-- The number of wrong codes that were typed for an address since the time in `since`. After a day the count restarts.
create table auth_wrong_code (
  email text not null,
  since timestamptz not null,
  wrong integer not null,
  constraint auth_wrong_code_pkey primary key (email)
);

-- When the last sign-in mail to an address was enqueued. The portal does not enqueue the next mail to this address
-- until the minimum interval has passed.
create table auth_mail_window (
  email text not null,
  mailed_at timestamptz not null,
  constraint auth_mail_window_pkey primary key (email)
);

-- Counters of the rate limits. Unlogged, because the counters may be lost in a crash. The npm package
-- rate-limiter-flexible prescribes the columns.
create unlogged table auth_rate (
  key text not null,  -- name of the limit and its subject: otp:192.0.2.1
  points integer not null,
  expire bigint,  -- when the count restarts, in milliseconds since 1970
  constraint auth_rate_pkey primary key (key)
);

-- Sign-ins that have begun and need another request: the client must exchange a PKCE code, or the provider must
-- redirect the browser back.
create table auth_flow_state (
  id uuid not null default gen_random_uuid(),
  provider text not null,  -- 'email', or the name of the provider
  state_hash text,  -- SHA-256 of the state sent to the provider and the browser's cookie
  auth_code_hash text,  -- SHA-256 of the code that the client may exchange for a session
  user_id uuid,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text,
  expires_at timestamptz not null,
  constraint auth_flow_state_pkey primary key (id),
  constraint auth_flow_state_state_hash_key unique (state_hash),
  constraint auth_flow_state_auth_code_hash_key unique (auth_code_hash),
  constraint auth_flow_state_user_id_fkey foreign key (user_id) references auth_user(id) on delete cascade
);

-- Keys for access tokens. Exactly one key signs new tokens. A retired key only verifies the tokens that it has
-- signed.
create table auth_signing_key (
  kid text not null,
  public_jwk jsonb not null,
  private_key text not null,  -- encrypted with SECRET_KEY
  created_at timestamptz not null,
  retired_at timestamptz,
  constraint auth_signing_key_pkey primary key (kid)
);

create unique index auth_signing_key_one on auth_signing_key ((true)) where retired_at is null;

-- Changes of the counters that the job has not added to tally yet.
create table tally_change (
  -- 'code'; 'redeemed' by a learner or 'issued' by staff; 'revoked'; 'void', of which 'expired'; 'user'; 'member' of
  -- a cohort. Free codes = code - redeemed - issued - void
  what text not null,
  product_id uuid,
  day date,  -- UTC; only for 'redeemed' and 'issued'
  n bigint not null,
  cohort_id uuid
);

-- The counters. They contain the rows of tally_change that the job has already added.
create table tally (
  what text not null,
  product_id uuid,
  day date,  -- also null for days that are older than the dashboard's range
  n bigint not null,
  cohort_id uuid,
  constraint tally_what_product_id_cohort_id_day_key unique nulls not distinct (what, product_id, cohort_id, day)
);

create view tally_now as
 select what,
    product_id,
    day,
    sum(n)::bigint as n,
    cohort_id
   from ( select tally.what,
            tally.product_id,
            tally.day,
            tally.n,
            tally.cohort_id
           from tally
        union all
         select tally_change.what,
            tally_change.product_id,
            tally_change.day,
            tally_change.n,
            tally_change.cohort_id
           from tally_change) lines
  group by what, product_id, day, cohort_id;

-- Returns how many codes of each product are in each state on the day `today`. Each code is in one state, so the
-- states add up to `codes`. A product that never had a code has no row.
create function code_counts(today date) returns table(product_id uuid, codes integer, free integer, held integer, revoked integer, void integer, expired integer) language sql stable as $$
  select product_id, codes, codes - assigned - marked - late, assigned - revoked, revoked, marked - expired, expired + late
  from (
    select product_id,
      coalesce(sum(n) filter (where what = 'code'), 0)::integer as codes,
      coalesce(sum(n) filter (where what in ('redeemed', 'issued')), 0)::integer as assigned,
      coalesce(sum(n) filter (where what = 'revoked'), 0)::integer as revoked,
      coalesce(sum(n) filter (where what = 'void'), 0)::integer as marked,
      coalesce(sum(n) filter (where what = 'expired'), 0)::integer as expired,
      coalesce(sum(n) filter (where what = 'late'), 0)::integer as late
    from (
      select what, product_id, n from tally
      union all
      select what, product_id, n from tally_change
      union all
      select 'late', product_id, n from count_expired_coupons(today)
    ) changes
    where what in ('code', 'redeemed', 'issued', 'revoked', 'void', 'expired', 'late')
    group by product_id
  ) sums
$$;

create function tally_handed_out(assigned_by text, product_id uuid, assigned_at timestamptz, n bigint) returns void language sql as $$
  insert into tally_change (what, product_id, day, n)
  values (case assigned_by when 'learner' then 'redeemed' else 'issued' end, product_id, (assigned_at at time zone 'utc')::date, n)
$$;

create function tally_added_coupons() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) select 'code', product_id, count(*) from added group by product_id;
  insert into tally_change (what, product_id, n)
    select 'void', product_id, count(*) from added where voided_at is not null group by product_id
    union all
    select 'expired', product_id, count(*) from added where void_reason = 'expired' group by product_id
    union all
    select 'revoked', product_id, count(*) from added where revoked_at is not null group by product_id;
  perform tally_handed_out(assigned_by, product_id, assigned_at, 1) from added where holder is not null;
  return null;
end $$;

create trigger coupon_added_is_told after insert on coupon referencing new table as added
  for each statement
  execute function tally_added_coupons();

create function tally_claimed_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, day, n)
  values (case new.assigned_by when 'learner' then 'redeemed' else 'issued' end, new.product_id,
    (new.assigned_at at time zone 'utc')::date, 1);
  return null;
end $$;

create trigger coupon_claimed_is_told after update on coupon
  for each row when (old.holder is null and new.holder is not null)
  execute function tally_claimed_coupon();

create function tally_moved_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) values ('code', old.product_id, -1), ('code', new.product_id, 1);
  return null;
end $$;

create trigger coupon_moved_is_told after update of product_id on coupon
  for each row when (old.product_id is distinct from new.product_id)
  execute function tally_moved_coupon();

create function tally_voided_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n)
  select what, new.product_id, n from (values
    ('void', (new.void_reason is not null)::int - (old.void_reason is not null)::int),
    ('expired', (new.void_reason is not distinct from 'expired')::int - (old.void_reason is not distinct from 'expired')::int)
  ) changes (what, n) where n <> 0;
  return null;
end $$;

create trigger coupon_voided_is_told after update of voided_at, void_reason on coupon
  for each row when (old.void_reason is distinct from new.void_reason)
  execute function tally_voided_coupon();

create function tally_revoked_coupon() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, product_id, n) values ('revoked', new.product_id, 1);
  return null;
end $$;

create trigger coupon_revoked_is_told after update of revoked_at on coupon
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function tally_revoked_coupon();

create function tally_users() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, n)
  select 'user', case tg_op when 'INSERT' then count(*) else -count(*) end from changed having count(*) > 0;
  return null;
end $$;

create trigger app_user_added_is_told after insert on app_user referencing new table as changed
  for each statement
  execute function tally_users();

create trigger app_user_deleted_is_told after delete on app_user referencing old table as changed
  for each statement
  execute function tally_users();

create function tally_members() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, cohort_id, n)
  select 'member', cohort_id, case tg_op when 'INSERT' then count(*) else -count(*) end from changed group by cohort_id;
  return null;
end $$;

create trigger cohort_member_added_is_told after insert on cohort_member referencing new table as changed
  for each statement
  execute function tally_members();

create trigger cohort_member_removed_is_told after delete on cohort_member referencing old table as changed
  for each statement
  execute function tally_members();

-- The queue of sign-in mails before the table job. Nothing adds rows.
create table auth_mail (
  id bigint not null generated always as identity,
  email text not null,
  create_user boolean not null,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text,
  attempts integer not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  language text not null default 'en',
  constraint auth_mail_pkey primary key (id),
  constraint auth_mail_email_key unique (email)
);

create index auth_mail_due on auth_mail (due_at);

-- Returns the status of a product on the day `today`, like productStatus in the contract.
create function product_status(p product, today date) returns text language sql stable parallel safe as $$
  select case when p.archived_at is not null then 'archived' when p.paused_at is not null then 'paused'
    when p.closes_on < today then 'ended' when p.opens_on > today then 'scheduled' else 'live' end
$$;

-- Assigns the product's next free code to a user, and writes the audit line. The search begins at the first day of
-- claim_day after `today`. Returns the code, its last day and its mark `unconfirmed`, or null if there is none. With
-- `waits`, waits for codes that another transaction has locked, and searches twice: while it waits, the other
-- transaction may give the codes an earlier last day. Without `waits`, skips locked codes.
create function claim_next_coupon(product uuid, claimant bigint, today date, waits boolean, claimed_at timestamptz, claimed_by text, claimed_via audit_way, claimed_from inet, claimed_by_id bigint, claimed_by_name text, claimed_action text, claimed_detail jsonb) returns jsonb language plpgsql as $$
declare
  place claim_day;
  claimed record;
  searches integer := 1;
begin
  loop
    select * into place from claim_day d
    where d.product_id = product and d.use_by > coalesce(place.use_by, today) order by d.use_by limit 1;
    if not found then
      if not waits or searches = 2 then return null; end if;
      searches := 2;
      continue;
    end if;
    -- The lock of this statement makes the next one find the row: a statement does not skip rows that its own
    -- transaction has locked.
    if waits then
      perform from coupon c
      where c.product_id = product and c.use_by = place.use_by and c.holder is null and c.voided_at is null and c.pos >= place.pos
      order by c.pos limit 1 for update;
    end if;
    update coupon set holder = claimant, assigned_at = claimed_at, assigned_by = claimed_by, is_current = true
    where id = (
      select c.id from coupon c
      where c.product_id = product and c.use_by = place.use_by and c.holder is null and c.voided_at is null and c.pos >= place.pos
      order by c.pos limit 1 for update skip locked)
    returning id, coupon_code, use_by, pos, unconfirmed into claimed;
    exit when found;
  end loop;
  -- Between two runs of the job that advances the days, thousands of codes may be assigned. Each later claim would read the
  -- index entries of all of them.
  if claimed.pos - place.pos >= 128 then perform advance_claim_days(product); end if;
  insert into audit (at, actor, via, action, ip, actor_id, actor_name, user_id, product_id, coupon_id, detail)
  values (claimed_at, claimed_by, claimed_via, claimed_action, claimed_from, claimed_by_id, claimed_by_name,
    claimant, product, claimed.id, claimed_detail);
  return jsonb_build_object('coupon_code', claimed.coupon_code, 'use_by', claimed.use_by, 'unconfirmed', claimed.unconfirmed);
end $$;

-- Returns the state of a grant on the day `today`; 'archived' if its cohort is archived.
create function grant_state(withdrawn_at timestamptz, cohort_archived boolean, starts_on date, ends_on date, today date) returns text language sql immutable parallel safe as $$
  select case when withdrawn_at is not null then 'withdrawn' when cohort_archived then 'archived'
    when starts_on > today then 'future' when ends_on < today then 'over' else 'live' end
$$;

-- Returns the state of a code on the day `today`, as coupon_state does. A free code whose last day is `today` or
-- earlier has expired, also before the job has made it void (N-201).
create function code_state(holder bigint, revoked_at timestamptz, voided_at timestamptz, void_reason text, use_by date, today date) returns integer language sql immutable parallel safe as $$
  select case when coupon_state(holder, revoked_at, voided_at, void_reason) = 0 and use_by <= today then 4
    else coupon_state(holder, revoked_at, voided_at, void_reason) end
$$;

-- Returns the name of a state of coupon_state in the API.
create function code_state_name(state integer) returns text language sql immutable parallel safe as $$
  select (array['free', 'held', 'revoked', 'void', 'expired'])[state + 1]
$$;

-- Returns the codes that may be used once, of a product, that look like the text `canonical` and are another text
-- (R-MAP-02). Without codes that an upload makes free again: the upload adds the code in its canonical form.
create function lookalikes(product uuid, canonical text) returns table(id bigint, coupon_code text) language sql stable as $$
  select l.id, l.coupon_code from coupon l
  where l.product_id = product and octet_length(l.coupon_code) <> char_length(l.coupon_code)
    and canonical_key(l.coupon_code) = canonical and l.coupon_code <> canonical and not l.shared
    and l.void_reason is distinct from 'mistake' offset 0
$$;

-- The batches whose codes an act makes, or made, void. Such a batch does not count as one that names its codes.
create view batch_made_void as
 select batch_id
   from bulk_job
  where kind = 'void' and (state in ('running', 'failed', 'done')) and batch_id is not null;

-- Returns true for a grant that stands, is not over on the day `today`, and is not of an archived cohort (N-61).
create function grant_counts(withdrawn_at timestamptz, cohort_archived boolean, ends_on date, today date) returns boolean language sql immutable parallel safe as $$
  select withdrawn_at is null and not cohort_archived and (ends_on is null or ends_on >= today)
$$;

-- Returns the grants of a user, and the grants of the user's cohorts. With one condition for both, the planner would
-- scan all grants.
create function grants_of_user(member bigint) returns setof access_grant language sql stable as $$
  select g.* from access_grant g where g.user_id = member
  union all
  select g.* from cohort_member m join access_grant g on g.cohort_id = m.cohort_id where m.user_id = member
$$;

-- Returns the products of an upload: the first line of the log about each has the id of the upload, or that of
-- another upload that was taken back and left it to this one. `is_used`: it has codes or grants. `is_named`: another
-- upload names it too.
create function products_of_upload(upload uuid) returns table(product_id uuid, is_open boolean, is_own boolean, is_used boolean, is_named boolean) language sql stable as $$
  select p.product_id, p.archived_at is null, added.is_own,
    exists (select from coupon c where c.product_id = p.product_id)
      or exists (select from access_grant g where g.product_id = p.product_id and g.withdrawn_at is null),
    exists (select from product_source s where s.product_id = p.product_id and s.import_id <> upload)
  from product p cross join lateral (
    select line.import_id = upload::text as is_own, line.import_id from (
      select a.action, a.detail ->> 'import_id' as import_id from audit a
      where a.product_id = p.product_id order by a.id limit 1) line
    where line.action = 'product.create') added
  where added.is_own or (
    exists (select from product_source s where s.product_id = p.product_id and s.import_id = upload)
    and exists (select from bulk_job b where b.id::text = added.import_id and b.state = 'taken_back'))
$$;

-- Kept for processes of the version before. Nothing else uses it. A later migration drops it.
create view import_job as
 select id,
    kind,
    file_name,
    product_ids,
    created_by,
    created_at,
    state,
    source,
    batch_id,
    rows_done,
    rows_total,
    success,
    failures,
    duplicates,
    product_access,
    worked_at,
    reason,
    generated,
    starts_on,
    ends_on,
    detail,
    cohort_id,
    joined,
    already,
    source_id
   from bulk_job;

-- Sorts the list of people by name.
create index app_user_name on app_user (lower(name) collate "C", id);

-- Finds the codes of a product that the partner does not know yet.
create index coupon_unconfirmed on coupon (product_id, id) where unconfirmed;

create index audit_entry on audit (id) where group_id is null or summary_of is not null;

-- Finds the entries of a member of the team. The lines of learners are in no group, so audit_actor finds their
-- entries.
create index audit_actor_entry on audit (actor, id) where (group_id is null or summary_of is not null) and actor <> 'learner';

-- Finds the entries of a cohort. The summary of people who moved is about the cohort that they left; member.arrive
-- tells of them in the cohort that they reached.
create index audit_cohort_entry on audit (cohort_id, id) where cohort_id is not null and (group_id is null or summary_of is not null or action = 'member.arrive');

create index audit_group on audit (group_id, id) where group_id is not null;

-- A group has one summary.
create unique index audit_summary on audit (group_id) where summary_of is not null;

-- The last sign-in of each person: auth_user.last_sign_in_at of the user with the person's address, or null. Sorts
-- the list of people. A table of its own, because a sign-in must not wait for a person whose row staff have locked.
create table person_sign_in (
  person_id bigint not null,
  at timestamptz,
  constraint person_sign_in_pkey primary key (person_id),
  constraint person_sign_in_person_id_fkey foreign key (person_id) references app_user(id) on delete cascade
);

create index person_sign_in_order on person_sign_in (at, person_id);

create function add_person_sign_in() returns trigger language plpgsql as $$
begin
  insert into person_sign_in (person_id, at)
  select a.id, s.last_sign_in_at from added a left join auth_user s on s.email = a.email
  on conflict do nothing;
  return null;
end $$;

create trigger app_user_added_has_sign_in after insert on app_user referencing new table as added
  for each statement
  execute function add_person_sign_in();

create function move_person_sign_in() returns trigger language plpgsql as $$
begin
  update person_sign_in set at = (select s.last_sign_in_at from auth_user s where s.email = new.email)
  where person_id = new.id;
  return null;
end $$;

create trigger app_user_moved_has_sign_in after update of email on app_user
  for each row when (old.email is distinct from new.email)
  execute function move_person_sign_in();

create function note_sign_in() returns trigger language plpgsql as $$
begin
  -- Only an edit of the person's address locks the row. It may wait for the row of auth_user, so waiting here would be a
  -- deadlock. The edit sets the time that belongs to the new address.
  update person_sign_in set at = new.last_sign_in_at
  where person_id = (
    select l.person_id from app_user u join person_sign_in l on l.person_id = u.id
    where u.email = new.email for update of l skip locked);
  return null;
end $$;

create trigger auth_user_signed_in after insert or update of last_sign_in_at on auth_user
  for each row
  execute function note_sign_in();

-- Sorts the held and the revoked codes of a product by the time of assignment. The statements of a claim have
-- conditions on the holder, so its condition keeps them from this index.
create index coupon_assigned on coupon (product_id, (revoked_at is null), assigned_at, id) where assigned_at is not null;

-- The last count for the forecast of each product that learners can redeem and that has no shared code. A job counts
-- again, because counting reads all people and grants.
create table stock_forecast (
  product_id uuid not null,
  counted_at timestamptz not null,
  day date not null,  -- the day of the count in the portal's time zone
  without_code integer not null,  -- people with access on that day who never held a code of the product
  assigned integer not null,  -- codes of the product that were held or revoked at the count
  -- codes that were redeemed or issued in the last 14 full days in UTC; null if there are too few to forecast
  handed_out integer,
  -- free codes that expire before they are handed out at this pace; expires_on: the first day on which some expire
  expiring_first integer not null default 0,
  expires_on date,
  -- when the alert that the codes last less than 14 days was sent; null again after they lasted more than 21 days
  alerted_at timestamptz,
  constraint stock_forecast_pkey primary key (product_id),
  constraint stock_forecast_product_id_fkey foreign key (product_id) references product(product_id)
);

-- Returns the forecast of a product from its last count and its present counters: how many codes are free, and how
-- many were ever assigned. No row: there is no count yet, the product is over, or it has a shared code. Each code
-- that was assigned since the count is taken as the code of a person who had none. `short`: codes that are missing if
-- each person with access redeems. `pace`: codes a day; null: too few redemptions. `days_left` leaves out the codes
-- that expire first. `days_left` and `expiring_first` are null without a pace, and while nobody can redeem.
create function forecast_stock(p product, free integer, assigned integer, today date) returns table(without_code integer, short integer, pace double precision, days_left integer, expiring_first integer, expires_on date, forecast_at timestamptz) language sql stable as $$
  select waiting.n, greatest(0, waiting.n - free), round(f.handed_out / 14.0, 1)::double precision,
    case when status.is_live then floor(14 * greatest(0, free - f.expiring_first) / f.handed_out::numeric)::integer end,
    case when status.is_live and f.handed_out is not null then least(f.expiring_first, free) end,
    case when status.is_live and free > 0 then f.expires_on end, f.counted_at
  from stock_forecast f cross join lateral (
    select greatest(0, f.without_code - greatest(0, forecast_stock.assigned - f.assigned)) as n) waiting
  cross join lateral (select product_status(p, today) = 'live' as is_live) status
  where f.product_id = p.product_id and product_status(p, today) not in ('archived', 'ended')
$$;

-- Finds the lines about a product that are in no group.
create index audit_product_entry on audit (product_id, id) where product_id is not null and group_id is null;

-- Finds the groups with lines about a product, one after the other.
create index audit_product_group on audit (product_id, group_id, id) where product_id is not null and group_id is not null;

-- Finds people by any words of name and address.
create index app_user_words on app_user using gin (person_terms(name, email));

-- Who was erased (app_user.user_id), and when. A restore of an older backup erases these people again.
create table erasure (
  user_id uuid not null,
  at timestamptz not null,
  constraint erasure_pkey primary key (user_id)
);

create function tally_erased_user() returns trigger language plpgsql as $$
begin
  insert into tally_change (what, n) values ('user', -1);
  return null;
end $$;

create trigger app_user_erased_is_told after update of erased_at on app_user
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function tally_erased_user();

-- Returns true if the text contains one of the texts of a person (`traces`, see erase.sql.ts).
create function has_trace(value text, traces text[]) returns boolean language sql immutable parallel safe as $$
  select value ~* traces[1] or value ~* traces[3] or value ~ traces[4]
$$;

-- Returns the text without the texts of a person (`traces`, see erase.sql.ts).
create function erase_text(value text, traces text[]) returns text language sql immutable parallel safe as $$
  select regexp_replace(regexp_replace(regexp_replace(value, traces[1], traces[2], 'gi'), traces[3], 'erased', 'gi'),
    traces[4], 'erased', 'g')
$$;

-- Does the same as erase_text for each text of a JSON value.
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

-- Returns the text of a file without the texts of a person, in the lines that have an address of the person. The
-- number of lines stays.
create function erase_lines(source text, traces text[]) returns text language sql immutable parallel safe as $$
  select string_agg(case when line ~* traces[1] then
      regexp_replace(regexp_replace(regexp_replace(line, traces[1], '', 'gi'), traces[3], '', 'gi'), traces[4], '', 'g')
      else line end, E'\n' order by n)
  from unnest(string_to_array(source, E'\n')) with ordinality lines (line, n)
$$;

-- Returns the public id of a member of the team, by app_user.id or by address. Other actors, such as 'learner', keep
-- their name. For documents that must not contain the addresses of other people.
create function public_actor(actor text, actor_id bigint) returns text language sql stable as $$
  select coalesce(
    (select u.user_id::text from app_user u where u.id = actor_id),
    (select u.user_id::text from app_user u where u.email = actor),
    case when actor like '%@%' then 'somebody else' else actor end)
$$;

-- Returns a pattern of a whole address: the address ann@example.org is no part of joann@example.org.
create function address_pattern(email text) returns text language sql immutable parallel safe as $$
  select '(?<![[:alnum:]._%+-])' || regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]-]|[.][[:alnum:]])'
$$;

-- Finds the rows of people by their address.
create index import_row_address on import_row ("left"(cells[1], 254)) where cells[1] ~~ '%@%';

-- Finds the lines with typed texts that are not about one person: notes, reasons, names of files and searches. A
-- person who is erased may be named in them.
create index audit_typed on audit (id) where user_id is null and detail ?| array['note', 'text', 'reason', 'file_name', 'filter', 'q', 'email', 'words'];

-- The picture of a product. A table of its own, so that no list of products reads the bytes.
create table product_logo (
  product_id uuid not null,
  media_type text not null,
  bytes bytea not null,
  -- hash of the bytes in hexadecimal; part of the picture's address, which changes with the picture
  sha256 text not null,
  width integer not null,  -- in pixels; height: the same
  height integer not null,
  at timestamptz not null,
  constraint product_logo_pkey primary key (product_id),
  constraint product_logo_product_id_fkey foreign key (product_id) references product(product_id) on delete cascade,
  constraint product_logo_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint product_logo_bytes_check check (octet_length(bytes) <= 200000)
);
