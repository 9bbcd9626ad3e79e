// Replaces all texts about a person: address, name and phone number, also former ones (R-PRIV-03). Each function covers
// some tables. A test compares the tables with the catalog (erase-person.engines.test.ts).
//
// The SQL functions has_trace, erase_text, erase_json and erase_lines replace the texts. Their parameter `traces` has
// the patterns that `findTraces` in erase.ts makes.
import type { Db } from '../../db/database.ts';
import { originOf } from '../log/audit.sql.ts';

/** Allows this transaction to replace texts in audit lines and in assigned codes. */
export async function allowErasing(tx: Db): Promise<void> {
  await tx.query("select set_config('portal.erases', 'on', true)");
}

/**
 * Locks the person (app_user.id) against everything, also against new grants and codes: their foreign keys need a lock
 * of the row.
 */
export async function lockWholly(tx: Db, id: string): Promise<void> {
  await tx.query('select 1 from app_user where id = $1 for update', [id]);
}

/** `emails` has the present address and former ones. `words` has names, phone numbers and the payment id. */
export type Texts = { emails: string[]; words: string[] };

/** Returns the texts about the person (app_user.id) that the person's row, the sign-in account and the log have. */
export async function findTexts(tx: Db, id: string): Promise<Texts> {
  const { rows } = await tx.query<{ kind: 'email' | 'word'; text: string }>(
    `with person as (
       select * from app_user where id = $1
     ), lines as (
       select detail from audit where user_id = $1 and detail ?| array['email', 'name', 'phone_number']
     )
     select distinct kind, text from (
       select 'email' as kind, email as text from person
       union all
       select 'word', unnest(array[name, phone_number, payment_id]) from person
       union all
       select 'word', unnest(array[s.user_metadata ->> 'name', s.user_metadata ->> 'full_name'])
         from person p join auth_user s on s.email = p.email
       union all
       select 'word', i.identity_data ->> 'name'
         from person p join auth_user s on s.email = p.email join auth_identity i on i.user_id = s.id
       union all
       select case key when 'email' then 'email' else 'word' end, given #>> '{}'
         from lines cross join lateral jsonb_each(detail) fields (key, value) cross join lateral (
           select value as given where jsonb_typeof(value) = 'string'
           union all
           select jsonb_array_elements(case when jsonb_typeof(value) = 'array' then value else '[]' end)) texts
         where key in ('email', 'name', 'phone_number') and jsonb_typeof(given) = 'string'
     ) found where btrim(text) <> '' order by kind, text`,
    [id],
  );
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  return { emails: of('email'), words: of('word') };
}

/** Returns those of the addresses that belong to other people than `id` (app_user.id) now. */
export async function listOthers(tx: Db, emails: readonly string[], id: string): Promise<string[]> {
  const { rows } = await tx.query<{ email: string }>(
    'select email from app_user where email = any($1::text[]) and id <> $2',
    [emails, id],
  );
  return rows.map(({ email }) => email);
}

/** True if an upload or a bulk action that one of the addresses started is being worked on. */
export async function hasRunningWork(tx: Db, emails: readonly string[]): Promise<boolean> {
  const { rows } = await tx.query(
    "select 1 from bulk_job where state in ('running', 'checking') and created_by = any($1::text[]) limit 1",
    [emails],
  );
  return rows.length > 0;
}

/** Returns the public ids of all erased people, and when they were erased. */
export async function listErasures(db: Db): Promise<{ user_id: string; at: string }[]> {
  const { rows } = await db.query<{ user_id: string; at: string }>(
    'select user_id, at from erasure order by at, user_id',
  );
  return rows;
}

type By = { id: string; actor: string; reason: string; at: Date };

/** Withdraws all grants of the person, with an audit line for each. Returns their number. */
export async function withdrawGrants(tx: Db, { id, actor, reason, at }: By): Promise<number> {
  const { rowCount } = await tx.query(
    `with gone as (
       update access_grant set withdrawn_at = $2, withdrawn_by = $3::text, withdraw_reason = $4::text
       where user_id = $1 and withdrawn_at is null returning id, product_id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, product_id, detail)
     select $3::text, $5::audit_way, $6::inet, $7::bigint, $8::text, 'grant.withdraw', $1, product_id,
       jsonb_build_object('grant_id', id::text, 'reason', $4::text, 'revoke_code', false)
     from gone order by id`,
    [id, at, actor, reason, ...originOf(actor)],
  );
  return rowCount;
}

/** Ends all memberships of the person, with an audit line for each. Returns their number. */
export async function leaveCohorts(tx: Db, { id, actor, reason }: By): Promise<number> {
  const { rowCount } = await tx.query(
    `with gone as (
       delete from cohort_member where user_id = $1 returning cohort_id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, cohort_id, detail)
     select $2::text, $4::audit_way, $5::inet, $6::bigint, $7::text, 'member.remove', $1, cohort_id,
       jsonb_build_object('reason', $3::text)
     from gone order by cohort_id`,
    [id, actor, reason, ...originOf(actor)],
  );
  return rowCount;
}

/**
 * Deletes the mails to the addresses from the job queue, also failed and cancelled ones. Ends the notices of the
 * person. `words` is why: it takes the place of the mail server's words.
 */
export async function endMails(
  tx: Db,
  { id, emails, words }: { id: string; emails: readonly string[]; words: string },
): Promise<void> {
  await tx.query(
    `delete from job
     where kind = 'sign-in-mail' and key = any($1::text[]) or kind like '%-mail' and data ->> 'about' = any($1::text[])`,
    [emails],
  );
  await tx.query(
    `update ready_notice set words = case when words is not null or ended_at is null then $2 end,
       ended_at = coalesce(ended_at, now()), state = case when ended_at is null then 'cancelled' else state end
     where user_id = $1`,
    [id, words],
  );
}

/** Returns the number of codes that stay assigned to the person. */
export async function countCodes(tx: Db, id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from coupon where holder = $1',
    [id],
  );
  return rows[0]?.count ?? 0;
}

/** Empties the person's row, which stays because codes and audit lines name it. Stores the erasure. */
export async function erasePersonRow(
  tx: Db,
  { id, email, at }: { id: string; email: string; at: Date },
): Promise<void> {
  await tx.query('delete from identity_person where person_id = $1', [id]);
  await tx.query(
    `update app_user set email = $2, name = null, phone_number = null, payment_id = null, auth_id = null,
       user_role = 'user', team_role = null, invited_at = null, invited_by = null, left_team_at = null,
       mail_refused_at = null, mail_refused_reason = null, setup_hidden_at = null, updated_at = now(), erased_at = $3
     where id = $1`,
    [id, email, at],
  );
  await tx.query('delete from person_sign_in where person_id = $1', [id]);
  await tx.query('insert into erasure (user_id, at) select user_id, $2 from app_user where id = $1', [
    id,
    at,
  ]);
}

/** `stands` takes the place of `emails`. For `traces`, see `findTraces` in erase.ts. */
export type Traces = { emails: readonly string[]; stands: string; traces: string[] };

/** Replaces the person's addresses and texts in the columns of other rows, such as `granted_by`. */
export async function eraseActor(
  tx: Db,
  { id, emails, stands, traces }: Traces & { id: string },
): Promise<void> {
  const by = [emails, stands];
  await tx.query('update app_user set invited_by = $2 where invited_by = any($1::text[])', by);
  await tx.query('update coupon_batch set created_by = $2 where created_by = any($1::text[])', by);
  await tx.query(
    `update coupon set assigned_by = case when assigned_by = any($1::text[]) then $2 else assigned_by end,
       voided_by = case when voided_by = any($1::text[]) then $2 else voided_by end,
       revoked_by = case when revoked_by = any($1::text[]) then $2 else revoked_by end
     where assigned_by = any($1::text[]) or voided_by = any($1::text[]) or revoked_by = any($1::text[])`,
    by,
  );
  await tx.query(
    `update access_grant set granted_by = case when granted_by = any($1::text[]) then $2 else granted_by end,
       withdrawn_by = case when withdrawn_by = any($1::text[]) then $2 else withdrawn_by end
     where granted_by = any($1::text[]) or withdrawn_by = any($1::text[])`,
    by,
  );
  await tx.query('update access_grant_source set given_by = $2 where given_by = any($1::text[])', by);
  await tx.query('update cohort_member set joined_by = $2 where joined_by = any($1::text[])', by);
  await tx.query('update cohort_member_source set given_by = $2 where given_by = any($1::text[])', by);
  await tx.query(
    `update coupon set revoke_reason = erase_text(revoke_reason, $2)
     where holder = $1 and has_trace(revoke_reason, $2)`,
    [id, traces],
  );
  await tx.query(
    `update access_grant set withdraw_reason = erase_text(withdraw_reason, $2)
     where user_id = $1 and has_trace(withdraw_reason, $2)`,
    [id, traces],
  );
}

/** Replaces the texts in products and cohorts: who changed them, and notes. */
export async function eraseNotes(tx: Db, { emails, stands, traces }: Traces): Promise<void> {
  await tx.query(
    `update product set paused_by = case when paused_by = any($1::text[]) then $2 else paused_by end,
       archived_by = case when archived_by = any($1::text[]) then $2 else archived_by end,
       changed_by = case when changed_by = any($1::text[]) then $2 else changed_by end,
       pause_note = erase_text(pause_note, $3)
     where paused_by = any($1::text[]) or archived_by = any($1::text[]) or changed_by = any($1::text[])
       or has_trace(pause_note, $3)`,
    [emails, stands, traces],
  );
  await tx.query(
    `update cohort set created_by = case when created_by = any($1::text[]) then $2 else created_by end,
       note = erase_text(note, $3)
     where created_by = any($1::text[]) or has_trace(note, $3)`,
    [emails, stands, traces],
  );
}

/**
 * Locks the uploads and bulk actions that `eraseUploads` changes, so that their work waits. Must be called before the
 * person is locked: a bulk action locks its row first, and then people.
 */
export async function lockUploads(tx: Db, { emails, traces }: Traces): Promise<void> {
  await tx.query(
    `select 1 from bulk_job
     where created_by = any($1::text[]) or has_trace(file_name, $2) or has_trace(reason, $2) or has_trace(detail::text, $2)
     order by id for update`,
    [emails, traces],
  );
}

/**
 * Replaces the texts in uploads, bulk actions and jobs. The cells of rows that name the person become empty; their
 * number and line numbers stay (N-252). The file of a running import stays as it is: the import makes a new person.
 */
export async function eraseUploads(tx: Db, { emails, stands, traces }: Traces): Promise<void> {
  await tx.query(
    `update bulk_job set created_by = case when created_by = any($1::text[]) then $2 else created_by end,
       file_name = erase_text(file_name, $3), reason = erase_text(reason, $3), detail = erase_json(detail, $3)
     where created_by = any($1::text[]) or has_trace(file_name, $3) or has_trace(reason, $3) or has_trace(detail::text, $3)`,
    [emails, stands, traces],
  );
  await tx.query(
    `update bulk_job set source = erase_lines(source, $1)
     where source is not null and state <> 'running' and source ~* ($1::text[])[1]`,
    [traces],
  );
  // An address may begin in one piece and end in the next one. So the first piece gets the whole text.
  await tx.query(
    `update import_source p set text = case p.piece when 0 then erase_lines(whole.text, $1) else '' end
     from (
       select source_id, string_agg(text, '' order by piece) as text from import_source s
       where not exists (select from bulk_job b where b.source_id = s.source_id and b.state = 'running')
       group by source_id) whole
     where whole.source_id = p.source_id and whole.text ~* ($1::text[])[1]`,
    [traces],
  );
  await tx.query(
    `update import_error set cells = array_fill(''::text, array[cardinality(cells)]), message = erase_text(message, $1)
     where array_to_string(cells, ' ') ~* ($1::text[])[1] or has_trace(message, $1)`,
    [traces],
  );
  await tx.query(
    `update import_row set cells = array_fill(''::text, array[cardinality(cells)])
     where left(cells[1], 254) = any($1::text[]) and cells[1] like '%@%'`,
    [emails],
  );
  await tx.query(
    'update coupon_batch set file_name = erase_text(file_name, $1) where has_trace(file_name, $1)',
    [traces],
  );
  await tx.query(
    `update job set data = erase_json(data, $1), reason = erase_text(reason, $1)
     where has_trace(data::text, $1) or has_trace(reason, $1)`,
    [traces],
  );
}

/**
 * Replaces the texts in the audit lines about the person (app_user.id), in the lines that the person wrote as a member
 * of the team, and in typed texts of lines about nobody. Notes about the person lose their text. `own` is without the
 * former addresses that belong to somebody else now. Reads no other lines.
 */
export async function eraseLog(
  tx: Db,
  { id, emails, stands, traces }: Traces & { id: string },
  { emails: own, traces: ownTraces }: Traces,
): Promise<void> {
  await tx.query(
    `update audit set detail = case when action = 'note.add' then jsonb_set(detail, '{text}', '"erased"')
       else erase_json(detail, $2) end
     where user_id = $1 and (action = 'note.add' or has_trace(detail::text, $2))`,
    [id, traces],
  );
  await tx.query(
    `update audit set actor = $2, actor_name = null, ip = null,
       detail = case when has_trace(detail::text, $3) then erase_json(detail, $3) else detail end
     where actor = any($1::text[]) and (actor_id = $4 or actor_id is null and actor = any($5::text[]))`,
    [emails, stands, traces, id, own],
  );
  // The condition is that of the index audit_typed.
  await tx.query(
    `update audit set detail = erase_json(detail, $1)
     where user_id is null and detail ?| array['note', 'text', 'reason', 'file_name', 'filter', 'q', 'email', 'words']
       and has_trace(detail::text, $1)`,
    [ownTraces],
  );
}
