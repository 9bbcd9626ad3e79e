// Sets and removes the logo of a product, for an administrator.
import { createHash } from 'node:crypto';
import { LOGO } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { deleteLogo, findLogo, type Logo, saveLogo } from './logo.sql.ts';
import { PictureError, readPicture } from './picture.ts';
import { requireProduct } from './products.ts';

/**
 * Sets the logo of the product, also of an archived one, and returns its path. The bytes decide which type the picture
 * has. The same picture again changes nothing. The version of the product stays (N-240).
 * @throws AppError product_not_found; invalid_request with the fault of the picture.
 */
export async function setLogo(
  db: Database,
  { product_id, actor, bytes, at }: { product_id: string; actor: string; bytes: Buffer; at: Date },
): Promise<{ logo: string }> {
  const picture = checkLogo(bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return db.transaction(async (tx) => {
    await requireProduct(tx, product_id);
    const before = await findLogo(tx, product_id);
    const logo = `/api/products/${product_id.toLowerCase()}/logo/${sha256}`;
    if (before?.sha256 === sha256) return { logo };
    await saveLogo(tx, { product_id, ...picture, sha256, bytes, at });
    await createLine(tx, { product_id, actor, before, after: picture });
    return { logo };
  });
}

/** Removes the logo of the product, if it has one. @throws AppError product_not_found. */
export async function removeLogo(
  db: Database,
  { product_id, actor }: { product_id: string; actor: string },
): Promise<{ logo: null }> {
  return db.transaction(async (tx) => {
    await requireProduct(tx, product_id);
    const before = await findLogo(tx, product_id);
    if (before === null) return { logo: null };
    await deleteLogo(tx, product_id);
    await createLine(tx, { product_id, actor, before, after: null });
    return { logo: null };
  });
}

type Drawn = Pick<Logo, 'media_type' | 'width' | 'height'>;

function checkLogo(bytes: Buffer): Drawn {
  const { least, most } = LOGO;
  try {
    const picture = readPicture(bytes);
    const { width, height } = picture;
    if (Math.min(width, height) < least || Math.max(width, height) > most)
      throw new PictureError(
        `The picture must be ${least} to ${most} pixels wide and high; it is ${width} × ${height}`,
      );
    return picture;
  } catch (cause) {
    if (!(cause instanceof PictureError)) throw cause;
    throw new AppError('invalid_request', cause.message, { cause });
  }
}

type Change = { product_id: string; actor: string; before: Drawn | null; after: Drawn | null };

async function createLine(tx: Db, { product_id, actor, before, after }: Change): Promise<void> {
  const words = (logo: Drawn | null) =>
    logo && `${logo.media_type.replace('image/', '').toUpperCase()}, ${logo.width} × ${logo.height}`;
  const detail = { logo: [words(before), words(after)] };
  await createAuditLine(tx, { actor, action: 'product.logo', product_id, detail });
}
