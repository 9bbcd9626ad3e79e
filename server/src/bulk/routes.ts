// Registers the routes that import CSV files, and that list, read, cancel and undo imports. Also sends files of the
// invalid rows, the duplicates and the generated codes of an import.

import * as calls from '@portal/contract';
import { hasRole, type ImportState, type JobState, NAMED_ERRORS, readLanguage } from '@portal/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import { type Database, isUuid } from '../db/database.ts';
import type { Page } from '../db/prefix-search.sql.ts';
import { hideCell, hideRows, hidesUpload, type Masking } from '../features/codes/codes.ts';
import { type Cells, type CsvTools, writeCsv } from '../features/exports/exports.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { countUntold, findMailsDue, findReadyMails } from '../features/people/mails.sql.ts';
import type { Member } from '../features/team/callers.sql.ts';
import type { Handle } from '../http/handle.ts';
import { endTurn } from '../http/request-bodies.ts';
import { sendCsv, sendList } from '../http/send-list.ts';
import { countImports, isImport, listImportStates, type WithUploader } from './bulk-jobs.sql.ts';
import { countFileRows, type ListedRow, listImportRows } from './import-rows.sql.ts';
import { columnsOf } from './read-file.ts';
import type { UploadTools } from './run-bulk.ts';
import { tellPeople } from './tell-people.ts';
import { previewUndo, undoImport as undo } from './undo.ts';
import * as uploads from './uploads.ts';

const LATEST = 20;
/** For each kind of file, the API call that uploads such a file. */
const UPLOADS = { products: calls.importProducts, users: calls.importUsers, coupons: calls.importCoupons };
/** The list of imports goes back this number of days (R-IMP-16). */
const LISTED_DAYS = 90;

export function handleImports(
  handle: Handle,
  { db, ...tools }: { db: Database } & UploadTools & Masking,
): void {
  handle(calls.importProducts, async ({ body, caller }, { request }) => {
    const upload = { ...body, kind: 'products' as const, product_ids: [], ...uploaderOf(caller) };
    return toReply(await runUpload(request, body, upload));
  });

  handle(calls.importUsers, async ({ body, caller }, { request }) => {
    const tell = body.tell ? readLanguage(request.headers) : undefined;
    const upload = { ...body, kind: 'users' as const, ...uploaderOf(caller), tell };
    return toReply(await runUpload(request, body, upload));
  });

  handle(calls.importCoupons, async ({ body, caller }, { request }) => {
    const { productId } = body;
    const upload = { ...body, kind: 'coupons' as const, product_ids: [productId], ...uploaderOf(caller) };
    return toReply(showState(await runUpload(request, body, upload), caller));
  });

  handle(calls.listImports, async ({ query: { limit = LATEST, ...query }, caller }, reply) => {
    if (query.product_id !== undefined && !isUuid(query.product_id)) return [];
    const isManager = hasRole(caller.team_role, 'manager');
    const named = isManager ? NAMED_ERRORS : 0;
    const filter = { ...query, since: new Date(tools.now().getTime() - LISTED_DAYS * 86_400_000) };
    const list = async (page: Page) => {
      const states = await listImportStates(db, { ...filter, ...page, named });
      return states.map((state) =>
        isManager ? { ...showState(state, caller), sample: null, sample_rows: null } : withoutContents(state),
      );
    };
    return sendList(reply, { ...query, limit }, { list, count: () => countImports(db, filter) });
  });

  handle(calls.getImport, async ({ params: { id }, caller }) => {
    return withMails(showState(await uploads.requireJob(db, id, NAMED_ERRORS), caller));
  });

  handle(calls.tellPeople, async ({ params: { id }, caller }, { request }) => {
    const order = { id, actor: caller.email, language: readLanguage(request.headers) };
    if (isUuid(id)) await tellPeople(db, order, tools);
    return withMails(showState(await uploads.requireJob(db, id, NAMED_ERRORS), caller));
  });

  handle(calls.cancelImport, async ({ params: { id }, caller }) => {
    if (isUuid(id)) await uploads.cancelImport(db, id, { now: tools.now, actor: caller.email });
    return showState(await uploads.requireJob(db, id, NAMED_ERRORS), caller);
  });

  handle(calls.startImport, async ({ params: { id }, caller }) => {
    const { kind } = await uploads.requireImport(db, id);
    // `parse` removes the counts that the reply to an upload of this kind does not have.
    const state = showState(await uploads.startChecked(db, { id, actor: caller.email }, tools), caller);
    return UPLOADS[kind].reply.parse(toReply(state));
  });

  handle(calls.discardImport, async ({ params: { id }, caller }) => {
    await uploads.requireImport(db, id);
    await uploads.discardChecked(db, { id, actor: caller.email });
    return { discarded: true as const };
  });

  handle(calls.getImportUndo, async ({ params: { id } }) => {
    await uploads.requireJob(db, id, 0);
    return previewUndo(db, id, tools);
  });

  handle(calls.undoImport, async ({ params: { id }, body: { expected }, caller }) => {
    await uploads.requireJob(db, id, 0);
    return { job_id: await undo(db, { id, actor: caller.email, expected }, tools) };
  });

  // The call waits until the import has ended. This takes minutes if other files are imported first. The text of the
  // file is stored before the wait, so it is removed from memory.
  async function runUpload(request: FastifyRequest, body: { csvData: string }, upload: uploads.Upload) {
    const { id, job } = await uploads.storeUpload(db, upload, tools);
    body.csvData = '';
    upload.csvData = '';
    endTurn(request);
    return uploads.finishUpload(db, id, job, tools);
  }

  /** Adds how many people have a mail in each state, and how many people of an action are not told yet. */
  async function withMails<T extends JobState>(state: T) {
    if (state.kind !== 'users' && state.kind !== 'act') return state;
    // The page asks for a running action every second. Counting its notices would read all of them each time.
    if (state.kind === 'act' && state.state === 'running') return state;
    const mails = await findReadyMails(db, state.id);
    const untold = state.kind === 'act' ? { untold: await countUntold(db, state.id) } : {};
    const dueAt = mails !== null && mails.queued > 0 ? await findMailsDue(db, state.id) : null;
    return { ...state, ...untold, ...(mails && { mails }), ...(dueAt && { mails_due_at: dueAt }) };
  }

  /** Masks the codes in the state if the caller may not see them. */
  function showState<T extends JobState & WithUploader>(state: T, caller: Member): T {
    return isImport(state) && hidesUpload(state, caller, tools) ? hideRows(state) : state;
  }
}

const uploaderOf = ({ email: actor, user_id: uploader }: Member) => ({ actor, uploader });

// Roles below manager see only the kind, the counts, the state and the time of an import (N-06).
function withoutContents<T extends ImportState>(state: T): T {
  const { preview } = state;
  const about = { file_name: null, created_by: null, reason: null, product_id: null, batch_id: null };
  const contents = { errors: [], sample: null, sample_rows: null, found: null, ignored: [], left_out: [] };
  return { ...state, ...about, ...contents, preview: preview && { ...preview, elsewhere: [] } };
}

function toReply({ id, state, reason, results, errors, preview, sample, found, ...lines }: ImportState) {
  const { ignored, left_out } = lines;
  if (state === 'failed') throw new AppError('unavailable', `The import failed: ${reason}`);
  if (state === 'cancelled')
    throw new AppError(
      'cancelled',
      'The import was cancelled.',
      results === null ? {} : { results: { ...results } },
    );
  if (state === 'refused') throw new AppError('invalid_request', reason ?? '');
  if (state === 'checked' && preview)
    return { import_id: id, state, preview, errors, sample: sample ?? [], found, ignored, left_out };
  // If the import has not ended, it will be retried, or another process runs it. The web page then polls the state of
  // the import.
  if (results === null)
    throw new AppError('unavailable', 'The import goes on; its results will be shown here.');
  return { message: 'Import complete', import_id: id, results, errors, ignored, left_out };
}

const ROWS_AT_ONCE = 5_000;

/**
 * The downloads for an upload. The key is the name in audit lines, `rows` the kind of rows, `ending` the end of the
 * file's name.
 */
const FILES = {
  errors: { call: calls.getImportErrors, rows: 'error', ending: 'failed_rows' },
  duplicates: { call: calls.getImportDuplicates, rows: 'duplicate', ending: 'duplicates' },
  generated: { call: calls.getImportGenerated, rows: 'generated', ending: 'generated' },
} as const;
type Name = keyof typeof FILES;

export function handleImportFiles(
  handle: Handle,
  { db, ...tools }: { db: Database } & Masking & CsvTools,
): void {
  for (const name of ['errors', 'duplicates', 'generated'] as const)
    handle(FILES[name].call, async ({ params: { id }, caller }, reply) => {
      const state = await uploads.requireImport(db, id);
      if (state.kind === 'coupons') {
        // The audit line of a download of codes (R-IMP-46).
        const { id: import_id, product_id, batch_id } = state;
        const detail = { import_id, file: name, rows: await countFileRows(db, import_id, FILES[name].rows) };
        const line = { actor: caller.email, action: 'export.file', product_id, batch_id, detail };
        await createAuditLine(db, line);
      }
      const file = writeUploadFile(db, { state, name, caller }, tools);
      return sendCsv(reply, `${state.kind}_${FILES[name].ending}`, file);
    });
}

/**
 * Yields the parts of a download: the rows as they were uploaded, with their line numbers, and the reason why a row
 * was not imported. Masks codes that the caller may not see. Staff can correct and upload the file again: the columns
 * `line` and `reason` are then ignored (R-IMP-17).
 */
export function writeUploadFile(
  db: Database,
  { state, name, caller }: { state: ImportState & WithUploader; name: Name; caller: Member },
  tools: Masking & CsvTools,
): AsyncGenerator<string> {
  const { call, rows: kind } = FILES[name];
  const hidesCodes = hidesUpload(state, caller, tools);
  const hasReason = name !== 'generated';
  const columns = columnsOf(hasReason ? state.kind : 'coupons');
  const fields = columns.filter((column) => column !== 'name' || hasNames(state));
  const toCells = ({ cells, row, message }: ListedRow): Cells => {
    const texts = fields.map((field) => cells[columns.indexOf(field)] ?? '');
    return [...(hidesCodes ? texts.map(hideCell) : texts), row, ...(hasReason ? [message] : [])];
  };
  async function* readSteps(): AsyncGenerator<Cells[]> {
    for (let after = 0; ; ) {
      const rows = await listImportRows(db, state.id, kind, { after, limit: ROWS_AT_ONCE });
      yield rows.map(toCells);
      if (rows.length < ROWS_AT_ONCE) return;
      after = rows.at(-1)?.row ?? 0;
    }
  }
  const names = [...fields, 'line', ...(hasReason ? ['reason'] : [])];
  return writeCsv(db, { columns: names, steps: readSteps(), caller, role: call.role }, tools);
}

/**
 * Returns false for a file of people that has no column of names. The downloads of such a file must not have this
 * column either, because a download has the columns of its file.
 */
function hasNames({ kind, found }: ImportState): boolean {
  if (kind !== 'users' || !found) return true;
  return found.columns.some(({ field }) => field === 'name' || field === 'first_name');
}
