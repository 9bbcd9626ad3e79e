// Adds products, edits their fields, and pauses or archives them, for an administrator.
import type { EditedProduct, NewProduct, NewStatus, StaffProduct } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { refuseCodes } from '../codes/codes.ts';
import { createAuditLine, listChanges } from '../log/audit.sql.ts';
import { idInUse, isFirstSent } from '../send-once.ts';
import {
  findStaffProduct,
  createProduct as insertProduct,
  type LockedProduct,
  lockProduct,
  updateProduct,
  updateStatus,
} from './products.sql.ts';

/**
 * Adds the product, and returns it with its status on the day `today`. If a call with the same `id` has added the same
 * product before, returns that product (N-325). @throws AppError id_in_use if the id was used for something else.
 */
export async function createProduct(
  db: Database,
  order: { actor: string; product: NewProduct; id?: string | undefined; today: string },
): Promise<StaffProduct> {
  const { actor, product, id, today } = order;
  return db.transaction(async (tx) => {
    const isFirst = await isFirstSent(tx, id, { actor, action: 'product.create', ...product });
    const stored = isFirst
      ? await insertProduct(tx, product, { product_id: id, today })
      : await findStaffProduct(tx, id ?? '', today);
    if (stored === null) throw idInUse();
    if (!isFirst) return stored;
    const { product_id, name } = stored;
    await createAuditLine(tx, { actor, action: 'product.create', product_id, detail: { name } });
    return stored;
  });
}

/**
 * Replaces the product's fields. The audit line has each changed field with its old and new value.
 * @throws AppError product_not_found; edit_conflict if somebody changed the product after `edited.version`;
 * invalid_request if `edited` changes `shared_coupon`, or the default last day of codes is not after today (N-59).
 */
export function editProduct(
  db: Database,
  { product_id, actor, edited }: { product_id: string; actor: string; edited: EditedProduct },
  { now, dayOf }: Clock,
): Promise<StaffProduct> {
  return db.transaction(async (tx) => {
    const before = await requireProduct(tx, product_id);
    const { version, ...given } = edited;
    const product = withUnchanged(given, before);
    const at = now();
    const today = dayOf(at);
    if (before.version !== version)
      throw new AppError(
        'edit_conflict',
        'Somebody else changed this product meanwhile. Reload to see their version.',
      );
    if (before.shared_coupon !== product.shared_coupon)
      throw new AppError('invalid_request', 'shared_coupon cannot be changed');
    if (product.use_by_default !== null && product.use_by_default <= today)
      throw new AppError('invalid_request', 'use_by_default must be a day after today such as 2026-12-31');
    const detail = listChanges(product, { from: before, to: product });
    // A save without a change keeps the version, so that other open forms stay valid.
    if (Object.keys(detail).length === 0) return updateStatus(tx, { ...before, product_id, today });
    const saved = await updateProduct(tx, product, { product_id, actor, at, today });
    await createAuditLine(tx, { actor, action: 'product.edit', product_id, detail });
    return saved;
  });
}

/** Returns the edit with the fields that it leaves out as they are (N-244). */
function withUnchanged(given: Omit<EditedProduct, 'version'>, before: LockedProduct) {
  const { category, value, terms, perks, position } = before;
  const named = Object.entries(given).filter(([, field]) => field !== undefined);
  return { category, value, terms, perks, position, ...Object.fromEntries(named) } as Required<typeof given>;
}

/**
 * Pauses, resumes, archives or restores a product. Learners who hold a code keep it (R-LIFE-11). If the product already
 * has the status, changes nothing. Restoring an archived product also ends its pause.
 * @throws AppError product_not_found; product_ended if the product is archived and `status` is 'paused' (N-69);
 * edit_conflict if the status is no longer `was`; invalid_request if the note contains a code.
 */
export function setProductStatus(
  db: Database,
  { product_id, actor, status, note, was }: { product_id: string; actor: string } & NewStatus,
  { now, dayOf }: Clock,
): Promise<StaffProduct> {
  return db.transaction(async (tx) => {
    const before = await requireProduct(tx, product_id);
    const at = now();
    const isNow = before.archived_at !== null ? 'archived' : before.paused_at !== null ? 'paused' : 'live';
    if (status === 'paused' && before.archived_at !== null)
      throw new AppError('product_ended', 'An archived product cannot be paused. Bring it back first.');
    // A repeated call, whose status is set already, is no conflict.
    if (was !== undefined && was !== isNow && status !== isNow)
      throw new AppError('edit_conflict', 'Somebody else changed this product meanwhile.');
    await refuseCodes(tx, note, [product_id]);
    const action = findAction(before, status);
    const changes = {
      live: { paused_at: null, paused_by: null, pause_note: null, archived_at: null, archived_by: null },
      paused: { paused_at: at, paused_by: actor, pause_note: note },
      archived: { archived_at: at, archived_by: actor },
    }[status];
    const after = action === null ? before : { ...before, ...changes };
    const saved = await updateStatus(tx, { ...after, product_id, today: dayOf(at) });
    if (action !== null)
      await createAuditLine(tx, { actor, action, product_id, detail: note ? { note } : {} });
    return saved;
  });
}

/** Returns the action for the audit line, or null if the product already has the status. */
function findAction({ paused_at, archived_at }: LockedProduct, status: NewStatus['status']): string | null {
  if (status === 'archived') return archived_at === null ? 'product.archive' : null;
  if (status === 'paused') return paused_at === null ? 'product.pause' : null;
  if (archived_at !== null) return 'product.unarchive';
  return paused_at === null ? null : 'product.resume';
}

/** Returns the product, locked against other edits. @throws AppError product_not_found. */
export async function requireProduct(tx: Db, product_id: string): Promise<LockedProduct> {
  const product = await lockProduct(tx, product_id);
  if (product === null) throw new AppError('product_not_found', 'Product not found');
  return product;
}
