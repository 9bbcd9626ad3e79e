// Registers the calls that import CSV files, and that list, read and cancel imports.
import {
  cancelImport,
  discardImport,
  getImport,
  getImportUndo,
  hasRole,
  type ImportState,
  importCoupons,
  importProducts,
  importUsers,
  type JobState,
  listImports,
  NAMED_ERRORS,
  readLanguage,
  startImport,
  undoImport,
} from '@portal/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { isUuid } from '../db/is-uuid.ts';
import { hideRows, hidesUpload, type Masking } from '../features/codes/mask-codes.ts';
import { findReadyMails } from '../features/people/ready-notices.sql.ts';
import type { Member } from '../features/team/callers.sql.ts';
import type { Handle } from '../http/handle.ts';
import { endTurn } from '../http/request-bodies.ts';
import { sendList } from '../http/send-list.ts';
import { cancelImport as cancel } from './cancel-import.ts';
import { requireImport, requireJob } from './find-import.ts';
import { finishUpload, storeUpload, type Upload, type UploadTools } from './import-csv.ts';
import { countImports, isImport, listImportStates, type WithUploader } from './import-states.sql.ts';
import { discardChecked, startChecked } from './start-checked.ts';
import { previewUndo, undoImport as undo } from './undo-import.ts';

const LATEST = 20;
/** The call that uploads a file of each kind. */
const UPLOADS = { products: importProducts, users: importUsers, coupons: importCoupons };
/** How long an import is listed (R-IMP-16). */
const LISTED_DAYS = 90;

export function handleImports(
  handle: Handle,
  { db, ...tools }: { db: Database } & UploadTools & Masking,
): void {
  handle(importProducts, async ({ body, caller }, { request }) => {
    const upload = { ...body, kind: 'products' as const, product_ids: [], ...uploaderOf(caller) };
    return toReply(await runUpload(request, body, upload));
  });

  handle(importUsers, async ({ body, caller }, { request }) => {
    const tell = body.tell ? readLanguage(request.headers) : undefined;
    const upload = { ...body, kind: 'users' as const, ...uploaderOf(caller), tell };
    return toReply(await runUpload(request, body, upload));
  });

  handle(importCoupons, async ({ body, caller }, { request }) => {
    const { productId } = body;
    const upload = { ...body, kind: 'coupons' as const, product_ids: [productId], ...uploaderOf(caller) };
    return toReply(showState(await runUpload(request, body, upload), caller));
  });

  handle(listImports, async ({ query: { kind, product_id, limit = LATEST, cursor }, caller }, reply) => {
    if (product_id !== undefined && !isUuid(product_id)) return [];
    const isManager = hasRole(caller.team_role, 'manager');
    const named = isManager ? NAMED_ERRORS : 0;
    const filter = { kind, product_id, since: new Date(tools.now().getTime() - LISTED_DAYS * 86_400_000) };
    return sendList(
      reply,
      { limit, cursor },
      {
        list: async (page) => {
          const states = await listImportStates(db, { ...filter, ...page, named });
          return states.map((state) =>
            isManager ? { ...showState(state, caller), sample: null } : withoutContents(state),
          );
        },
        count: () => countImports(db, filter),
      },
    );
  });

  handle(getImport, async ({ params: { id }, caller }) => {
    const state = showState(await requireJob(db, id, NAMED_ERRORS), caller);
    const mails = state.kind === 'users' ? await findReadyMails(db, id) : null;
    return mails === null ? state : { ...state, mails };
  });

  handle(cancelImport, async ({ params: { id }, caller }) => {
    if (isUuid(id)) await cancel(db, id, { now: tools.now, actor: caller.email });
    return showState(await requireJob(db, id, NAMED_ERRORS), caller);
  });

  handle(startImport, async ({ params: { id }, caller }) => {
    const { kind } = await requireImport(db, id);
    // The reply of the upload has only the counts of its kind.
    const state = showState(await startChecked(db, { id, actor: caller.email }, tools), caller);
    return UPLOADS[kind].reply.parse(toReply(state));
  });

  handle(discardImport, async ({ params: { id }, caller }) => {
    await requireImport(db, id);
    await discardChecked(db, { id, actor: caller.email });
    return { discarded: true as const };
  });

  handle(getImportUndo, async ({ params: { id } }) => {
    await requireJob(db, id, 0);
    return previewUndo(db, id, tools);
  });

  handle(undoImport, async ({ params: { id }, body: { expected }, caller }) => {
    await requireJob(db, id, 0);
    return { job_id: await undo(db, { id, actor: caller.email, expected }, tools) };
  });

  // The call waits until the import has ended, which takes minutes if other files are first. The text of the file is
  // stored by then, and must not stay in memory.
  async function runUpload(request: FastifyRequest, body: { csvData: string }, upload: Upload) {
    const { id, job } = await storeUpload(db, upload, tools);
    body.csvData = '';
    upload.csvData = '';
    endTurn(request);
    return finishUpload(db, id, job, tools);
  }

  /** Returns the state as the caller may see it. */
  function showState<T extends JobState & WithUploader>(state: T, caller: Member): T {
    return isImport(state) && hidesUpload(state, caller, tools) ? hideRows(state) : state;
  }
}

const uploaderOf = ({ email: actor, user_id: uploader }: Member) => ({ actor, uploader });

// Roles below manager see the kind, the counts, the state and the time of an import (N-06).
function withoutContents<T extends ImportState>(state: T): T {
  const { preview } = state;
  const hidden = {
    file_name: null,
    reason: null,
    errors: [],
    created_by: null,
    sample: null,
    found: null,
    ignored: [],
  };
  const about = { product_id: null, batch_id: null };
  return { ...state, ...hidden, ...about, preview: preview && { ...preview, elsewhere: [] } };
}

function toReply({ id, state, reason, results, errors, preview, sample, found, ignored }: ImportState) {
  if (state === 'failed') throw new AppError('unavailable', `The import failed: ${reason}`);
  if (state === 'cancelled')
    throw new AppError(
      'cancelled',
      'The import was cancelled.',
      results === null ? {} : { results: { ...results } },
    );
  if (state === 'refused') throw new AppError('invalid_request', reason ?? '');
  if (state === 'checked' && preview)
    return { import_id: id, state, preview, errors, sample: sample ?? [], found, ignored };
  // If the import has not ended, its job will be retried, or another process runs this job. The response is then an
  // error, and the web page polls the state of the import.
  if (results === null)
    throw new AppError('unavailable', 'The import goes on; its results will be shown here.');
  return { message: 'Import complete', import_id: id, results, errors, ignored };
}
