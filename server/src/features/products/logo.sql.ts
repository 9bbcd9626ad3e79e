// Reads and writes the logos of products.
import type { LogoType } from '@portal/contract';
import { asUuid, type Db } from '../../db/database.ts';

/** `sha256` is in hexadecimal; width and height are in pixels. */
export type Logo = {
  product_id: string;
  media_type: LogoType;
  sha256: string;
  width: number;
  height: number;
  bytes: Buffer;
  at: Date;
};

/** Returns the product's logo without its bytes, or null. */
export async function findLogo(
  db: Db,
  product_id: string,
): Promise<Pick<Logo, 'media_type' | 'sha256' | 'width' | 'height'> | null> {
  const { rows } = await db.query<Logo>(
    'select media_type, sha256, width, height from product_logo where product_id = $1',
    [product_id],
  );
  return rows[0] ?? null;
}

/** Returns the picture; null if the product has none with this hash. */
export async function readLogo(
  db: Db,
  { product_id, sha256 }: { product_id: string; sha256: string },
): Promise<Pick<Logo, 'media_type' | 'bytes'> | null> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
  const { rows } = await db.query<{ media_type: LogoType; bytes: Uint8Array }>(
    'select media_type, bytes from product_logo where product_id = $1 and sha256 = $2',
    [asUuid(product_id), sha256],
  );
  const [found] = rows;
  return found ? { media_type: found.media_type, bytes: Buffer.from(found.bytes) } : null;
}

/** Sets the logo. The caller has locked the product. */
export async function saveLogo(db: Db, logo: Logo): Promise<void> {
  const { product_id, media_type, bytes, sha256, width, height, at } = logo;
  await db.query(
    `insert into product_logo (product_id, media_type, bytes, sha256, width, height, at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (product_id) do update set media_type = excluded.media_type, bytes = excluded.bytes,
       sha256 = excluded.sha256, width = excluded.width, height = excluded.height, at = excluded.at`,
    [product_id, media_type, bytes, sha256, width, height, at],
  );
}

export async function deleteLogo(db: Db, product_id: string): Promise<void> {
  await db.query('delete from product_logo where product_id = $1', [product_id]);
}
