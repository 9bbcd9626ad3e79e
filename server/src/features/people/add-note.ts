// Adds a note of staff to the audit log (R-TRAIL-07).
import type { NewNote } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { refuseCodes } from '../codes/refuse-codes.ts';
import { findStoredCoupon } from '../codes/revocations.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findProductName } from '../products/products.sql.ts';
import { isFirstSent } from '../send-once.ts';
import { findPerson } from './people.sql.ts';

/**
 * Adds the note, once for all calls with the same `id` (N-325). The line of a note about a code also names the product and
 * the holder. @throws AppError user_not_found, product_not_found or not_found if the subject does not exist;
 * invalid_request if the text contains a code (N-90); id_in_use if the id was used for something else.
 */
export async function addNote(
  db: Database,
  { actor, text, id, ...note }: NewNote & { actor: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const subject = await findSubject(tx, note);
    await refuseCodes(tx, text, null);
    if (!(await isFirstSent(tx, id, { actor, action: 'note.add', text, ...subject }))) return;
    await createAuditLine(tx, { actor, action: 'note.add', ...subject, detail: { text } });
  });
}

async function findSubject(tx: Db, { user_id, coupon_id, product_id }: Omit<NewNote, 'text' | 'id'>) {
  if (user_id !== undefined) {
    const person = isUuid(user_id) ? await findPerson(tx, user_id) : null;
    if (person === null) throw new AppError('user_not_found', 'User not found');
    return { user_id: person.id };
  }
  if (coupon_id !== undefined) {
    const coupon = isRowId(coupon_id) ? await findStoredCoupon(tx, coupon_id) : null;
    if (coupon === null) throw new AppError('not_found', 'Coupon not found');
    const { id, holder } = coupon;
    return { coupon_id: id, product_id: coupon.product_id, ...(holder !== null && { user_id: holder }) };
  }
  const id = product_id?.toLowerCase() ?? '';
  if (!isUuid(id) || (await findProductName(tx, id)) === null)
    throw new AppError('product_not_found', 'Product not found');
  return { product_id: id };
}
