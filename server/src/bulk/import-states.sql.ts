// Reads the states of imports and of acts on many rows, as staff see them.
import { type CsvKind, csvKinds, type ImportState, type JobState } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { idOfCursor, type Page, type Total } from '../db/prefix-search.sql.ts';

// Position of an import in lists: the microsecond at which it was uploaded.
const CURSOR = '(extract(epoch from j.created_at) * 1000000)::bigint';
// True for an upload of codes whose free codes staff made void as a mistake (R-IMP-10).
const IS_VOID = `j.kind = 'coupons' and j.state in ('done', 'cancelled') and exists (select from import_job v where v.batch_id = j.batch_id
      and v.kind = 'void' and v.state = 'done' and v.detail ->> 'reason' = 'mistake')`;
const STATE = `
  select ${CURSOR}::text as cursor, j.id, j.kind, j.file_name, case when j.state = 'checking' then 'running' when ${IS_VOID} then 'taken_back' else j.state end as state,
    j.state = 'checking' as checking, j.state in ('running', 'checking') and j.detail ? 'waits' as waits, case when j.kind = 'coupons' then j.product_ids[1] end as product_id, j.batch_id, j.detail -> 'preview' as preview, j.detail -> 'sample' as sample, j.rows_done, j.rows_total, j.created_at, j.created_by, j.failures as errors_count, j.reason,
    j.detail ->> 'reason' as void_reason, j.detail ->> 'act' as act, j.detail ->> 'undoes' as undoes, j.detail -> 'found' as found, coalesce(j.detail -> 'ignored', '[]') as ignored, j.detail ->> 'uploader' as uploader,
    case when j.state in ('running', 'checking', 'checked', 'refused') then null when j.kind in ('void', 'use_by') then jsonb_build_object(
      case j.kind when 'void' then 'voided' else 'changed' end, j.success, 'handed_out_meanwhile',
      case when j.state = 'done'
        then greatest((j.detail ->> 'expected')::bigint - j.success - coalesce((j.detail ->> 'kept')::int, 0), 0) else 0 end)
      || case when j.kind = 'void' then jsonb_build_object('kept', coalesce((j.detail ->> 'kept')::int, 0)) else '{}' end
    when j.kind = 'undo' then jsonb_build_object('people', j.detail -> 'people', 'grants', j.detail -> 'grants',
      'left', j.detail -> 'left', 'products', j.detail -> 'products')
    when j.kind = 'act' then jsonb_build_object('changed', j.success, 'total', j.rows_done,
      'full', coalesce((j.detail ->> 'full')::int, 0))
    else jsonb_build_object('success', j.success, 'failures', j.failures,
      'duplicates', j.duplicates, 'productAccess', j.product_access,
      'generated', j.generated, 'total', j.rows_done)
      || case when j.kind = 'users' and j.cohort_id is not null
           then jsonb_build_object('joined', j.joined, 'already', j.already) else '{}' end end as results,
    coalesce((select jsonb_agg(jsonb_build_object('row', e.row, 'message', e.message, 'content', e.content) order by e.row) from (
      select row, message, left(rtrim(array_to_string(cells, ', '), ', '), 200) as content from import_error where import_id = j.id order by row limit $1) e), '[]') as errors
  from import_job j`;
const STATE_OF_ONE = `${STATE} where j.id = $2`;
const listed = (kind: string, since: string, product: string) =>
  `j.kind in ('products', 'users', 'coupons') and (${kind}::text is null or j.kind = ${kind}) and j.created_at > ${since}
    and (${product}::uuid is null or (j.kind = 'coupons' and j.product_ids = array[${product}::uuid]))`;
const STATE_OF_LISTED = `${STATE}
  where ${listed('$2', '$3', '$6')} and ${CURSOR} < coalesce($4::bigint, 9223372036854775807)
  order by j.created_at desc limit $5`;
const COUNT_LISTED = `select count(*)::int as total from import_job j where ${listed('$1', '$2', '$3')}`;

/** What the server knows of an upload beside its state. `uploader` is app_user.id, or null for older imports. */
export type WithUploader = { uploader: string | null };

/**
 * Returns the state of the import, or of the act on a batch, with this id. The state contains the first invalid rows,
 * at most `named`. Returns null if there is no import or act with this id.
 */
export async function findJobState(
  db: Db,
  id: string,
  named: number,
): Promise<(JobState & WithUploader) | null> {
  const { rows } = await db.query<JobState & WithUploader>(STATE_OF_ONE, [named, id]);
  return rows[0] ?? null;
}

/** True for the state of an import of a file, and false for that of an act. */
export function isImport<More>(state: JobState & More): state is ImportState & More {
  return state.kind in csvKinds;
}

/** Like `findJobState`, but also returns null for an act on a batch. */
export async function findImportState(
  db: Db,
  id: string,
  named: number,
): Promise<(ImportState & WithUploader) | null> {
  const state = await findJobState(db, id, named);
  return state !== null && isImport(state) ? state : null;
}

/**
 * Selects the imports of one kind of file; without `kind`, all. With `product_id`, a UUID, only files of codes of this
 * product. Imports before `since` are left out.
 */
export type ImportFilter = { kind?: CsvKind | undefined; product_id?: string | undefined; since: Date };

/**
 * Returns one page of the states of imports, newest first. Each state contains the first invalid rows, at most `named`.
 */
export async function listImportStates(
  db: Db,
  { kind, product_id, since, limit, after, named }: ImportFilter & Page & { named: number },
): Promise<(ImportState & WithUploader & { cursor: string })[]> {
  const { rows } = await db.query<ImportState & WithUploader & { cursor: string }>(STATE_OF_LISTED, [
    named,
    kind ?? null,
    since,
    idOfCursor(after),
    limit,
    product_id ?? null,
  ]);
  return rows;
}

/** Returns how many imports all pages of `listImportStates` contain together. */
export async function countImports(db: Db, { kind, product_id, since }: ImportFilter): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(COUNT_LISTED, [kind ?? null, since, product_id ?? null]);
  return { total: rows[0]?.total ?? 0, atLeast: false };
}
