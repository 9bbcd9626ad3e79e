// Reads all rows about one person, for the document of R-PRIV-01. Other people appear as their public ids.
import type { PERSON_DATA_PARTS } from '@portal/contract';
import type { Db } from '../../db/database.ts';

export type Part = (typeof PERSON_DATA_PARTS)[number];

type Row = Record<string, unknown>;

// The SQL function public_actor returns 'learner', 'operator' or 'portal', or the public id of a member of the team. $1 is
// app_user.id.
const STATEMENTS: Record<Exclude<Part, 'log'>, string | null> = {
  person: `
    select user_id, email, name, phone_number, user_role, team_role, payment_id, created_at, updated_at, invited_at,
      public_actor(invited_by, null) as invited_by, mail_refused_at, mail_refused_reason, erased_at, exists (
        select from left_team l where l.email = u.email) as has_left_team
    from app_user u where id = $1`,
  account: `
    select s.id, s.email, s.email_confirmed_at, s.user_metadata, s.last_sign_in_at, s.created_at, s.updated_at,
      w.wrong as wrong_codes, m.mailed_at
    from app_user u join auth_user s on s.email = u.email
      left join auth_wrong_code w on w.email = u.email left join auth_mail_window m on m.email = u.email
    where u.id = $1`,
  identities: `
    select i.provider, i.issuer, i.provider_id, i.identity_data, i.last_sign_in_at, i.created_at
    from app_user u join auth_user s on s.email = u.email join auth_identity i on i.user_id = s.id where u.id = $1
    union all
    select provider, issuer, provider_id, '{}', null, since from identity_person where person_id = $1`,
  sessions: `
    select a.created_at, a.refreshed_at, a.amr
    from app_user u join auth_user s on s.email = u.email join auth_session a on a.user_id = s.id where u.id = $1`,
  grants: `
    select g.id, g.product_id, p.name as product, g.starts_on, g.ends_on, g.granted_at,
      public_actor(g.granted_by, null) as granted_by, g.import_id, g.withdrawn_at,
      public_actor(g.withdrawn_by, null) as withdrawn_by, g.withdraw_reason, (
        select jsonb_agg(jsonb_build_object('given_at', given_at, 'starts_on', starts_on, 'ends_on', ends_on))
        from access_grant_source where grant_id = g.id) as given_again
    from access_grant g left join product p on p.product_id = g.product_id where g.user_id = $1 order by g.id`,
  cohorts: `
    select m.cohort_id, o.name, m.joined_at, public_actor(m.joined_by, null) as joined_by, (
      select jsonb_agg(s.given_at) from cohort_member_source s
      where s.cohort_id = m.cohort_id and s.user_id = m.user_id) as given_again
    from cohort_member m join cohort o using (cohort_id) where m.user_id = $1 order by m.joined_at, m.cohort_id`,
  codes: `
    select c.id, c.product_id, p.name as product, c.coupon_code, c.assigned_at,
      public_actor(c.assigned_by, null) as assigned_by, c.is_current, nullif(c.use_by, 'infinity') as use_by, c.revoked_at,
      public_actor(c.revoked_by, null) as revoked_by, c.revoke_reason
    from coupon c join product p on p.product_id = c.product_id where c.holder = $1 order by c.id`,
  redemptions: `
    select c.id as code_id, c.product_id, c.assigned_at as at from coupon c
    where c.holder = $1 and c.assigned_by = 'learner' order by c.id`,
  waiting: null,
  reports: null,
  purchases: null,
  emails: `
    select a.at, a.detail ->> 'kind' as kind, split_part(a.action, '.', 2) as state, a.product_id, a.detail ->> 'words' as words
    from audit a where a.user_id = $1 and a.action in ('mail.queue', 'mail.send', 'mail.retry', 'mail.fail', 'mail.bounce')
    union all
    select j.created_at, replace(j.kind, '-mail', ''), j.state, (j.data ->> 'product_id')::uuid, j.reason
    from app_user u join job j on j.kind = 'sign-in-mail' and j.key = u.email
      or j.kind like '%-mail' and j.data ->> 'about' = u.email where u.id = $1
    union all
    select coalesce(n.ended_at, n.created_at), 'ready', n.state, null, n.words from ready_notice n where n.user_id = $1`,
  notes: `
    select at, public_actor(actor, actor_id) as by, coupon_id, detail ->> 'text' as text
    from audit where user_id = $1 and action = 'note.add' order by id`,
  uploads: `
    select b.id as upload, b.file_name, b.created_at, found.row, found.cells, found.message
    from app_user u cross join lateral (
      select import_id, row, cells, message from import_row where left(cells[1], 254) = u.email and cells[1] like '%@%'
      union all
      select import_id, row, cells, message from import_error where lower(btrim(cells[1])) = u.email
      union all
      select f.id, line.n::int, array[line.text], null from (
        select id, source || coalesce((
          select string_agg(s.text, '' order by s.piece) from import_source s where s.source_id = w.source_id), '') as text
        from bulk_job w where w.source is not null) f
        cross join lateral unnest(string_to_array(f.text, E'\\n')) with ordinality line (text, n)
      where position(u.email in lower(f.text)) > 0 and line.text ~* address_pattern(u.email)) found
      join bulk_job b on b.id = found.import_id
    where u.id = $1 order by b.created_at, found.row`,
};

/** Returns the rows of a part. `id` is app_user.id. */
export async function readPart(db: Db, part: Exclude<Part, 'log'>, id: string): Promise<Row[]> {
  const statement = STATEMENTS[part];
  return statement === null ? [] : (await db.query<Row>(statement, [id])).rows;
}

/**
 * Returns at most `limit` audit lines about the person and by the person (app_user.id), with ids above `after`, oldest
 * first. Lines by the person about others have no `detail`, because it has texts about those.
 */
export async function readLines(
  db: Db,
  id: string,
  { after, limit }: { after: string; limit: number },
): Promise<(Row & { id: string })[]> {
  const { rows } = await db.query<Row & { id: string }>(
    `select a.id, a.at, public_actor(a.actor, a.actor_id) as by, a.action, a.via, a.is_own, o.user_id as about, a.product_id,
       a.coupon_id, a.cohort_id, a.batch_id, case when a.is_own then a.detail end as detail,
       case when a.actor = $4 then host(a.ip) end as ip
     from (
       (select *, true as is_own from audit where user_id = $1 and id > $2 order by id limit $3)
       union all
       (select *, false from audit where actor = $4 and id > $2 and user_id is distinct from $1 order by id limit $3)
     ) a left join app_user o on o.id = a.user_id
     order by a.id limit $3`,
    [id, after, limit, await findEmail(db, id)],
  );
  return rows;
}

async function findEmail(db: Db, id: string): Promise<string> {
  const { rows } = await db.query<{ email: string }>('select email from app_user where id = $1', [id]);
  return rows[0]?.email ?? '';
}
