-- Conditions that several statements share. The planner puts each of them into the statement that calls it.

create function code_state(holder bigint, revoked_at timestamptz, voided_at timestamptz, void_reason text, use_by date, today date)
returns integer language sql immutable parallel safe as $$
  select case when coupon_state(holder, revoked_at, voided_at, void_reason) = 0 and use_by <= today then 4
    else coupon_state(holder, revoked_at, voided_at, void_reason) end
$$;
comment on function code_state is
  'Returns the state of a code on the day `today`, as coupon_state does. A free code whose last day is `today` or earlier has
  expired, also before the job has made it void (N-201).';

create function code_state_name(state integer) returns text language sql immutable parallel safe as $$
  select (array['free', 'held', 'revoked', 'void', 'expired'])[state + 1]
$$;
comment on function code_state_name is 'Returns the name of a state of coupon_state in the API.';

create function lookalikes(product uuid, canonical text) returns table (id bigint, coupon_code text) language sql stable as $$
  select l.id, l.coupon_code from coupon l
  where l.product_id = product and octet_length(l.coupon_code) <> char_length(l.coupon_code)
    and canonical_key(l.coupon_code) = canonical and l.coupon_code <> canonical and not l.shared
    and l.void_reason is distinct from 'mistake' offset 0
$$;
comment on function lookalikes is
  'Returns the codes that may be used once, of a product, that look like the text `canonical` and are another text (R-MAP-02).
  Without codes that an upload makes free again: the upload adds the code in its canonical form.';

create view batch_made_void as
  select batch_id from import_job
  where kind = 'void' and state in ('running', 'failed', 'done') and batch_id is not null;
comment on view batch_made_void is
  'The batches whose codes an act makes, or made, void. Such a batch does not count as one that names its codes.';

create function grant_counts(withdrawn_at timestamptz, cohort_archived boolean, ends_on date, today date)
returns boolean language sql immutable parallel safe as $$
  select withdrawn_at is null and not cohort_archived and (ends_on is null or ends_on >= today)
$$;
comment on function grant_counts is
  'Returns true for a grant that stands, is not over on the day `today`, and is not of an archived cohort (N-61).';

create function grants_of_user(member bigint) returns setof access_grant language sql stable as $$
  select g.* from access_grant g where g.user_id = member
  union all
  select g.* from cohort_member m join access_grant g on g.cohort_id = m.cohort_id where m.user_id = member
$$;
comment on function grants_of_user is
  'Returns the grants of a user, and the grants of the user''s cohorts. With one condition for both, the planner would scan all
  grants.';

create function products_of_upload(upload uuid)
returns table (product_id uuid, is_open boolean, is_own boolean, is_used boolean, is_named boolean) language sql stable as $$
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
    and exists (select from import_job i where i.id::text = added.import_id and i.state = 'taken_back'))
$$;
comment on function products_of_upload is
  'Returns the products of an upload: the first line of the log about each has the id of the upload, or that of another upload
  that was taken back and left it to this one. `is_used`: it has codes or grants. `is_named`: another upload names it too.';
