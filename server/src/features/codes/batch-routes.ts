// Registers the calls that list uploads of codes, and the calls that change the free codes of an upload.
import {
  getBatch,
  getImport,
  hasRole,
  listBatches,
  setBatchUseBy as setBatchUseByCall,
  voidBatch as voidBatchCall,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import type { UploadTools } from '../../bulk/run-bulk.ts';
import type { Database } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { isUuid } from '../../db/is-uuid.ts';
import type { Handle } from '../../http/handle.ts';
import { sendList } from '../../http/send-list.ts';
import * as batches from './batches.sql.ts';

export function handleBatches(handle: Handle, { db, ...tools }: { db: Database } & UploadTools): void {
  handle(listBatches, async ({ query: { limit, cursor, product_id } }, reply) => {
    if (product_id !== undefined && !isUuid(product_id)) return [];
    return sendList(
      reply,
      { limit, cursor },
      {
        list: (page) => batches.listBatches(db, { product_id, ...page }),
        count: () => batches.countBatches(db, { product_id }),
      },
    );
  });

  handle(getBatch, async ({ params: { id }, caller }) => {
    const batch = isRowId(id) ? await batches.findBatch(db, id, tools.dayOf(tools.now())) : null;
    if (batch === null) throw new AppError('not_found', 'Upload not found');
    const mayReadImport = hasRole(caller.team_role, getImport.role);
    return { ...batch, import_id: mayReadImport ? batch.import_id : null };
  });

  handle(voidBatchCall, async ({ params: { id }, body, caller }) => ({
    job_id: await voidBatch(db, { id, actor: caller.email, ...body }, tools),
  }));

  handle(setBatchUseByCall, async ({ params: { id }, body, caller }) => ({
    job_id: await setBatchUseBy(db, { id, actor: caller.email, ...body }, tools),
  }));
}
