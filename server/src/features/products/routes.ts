// Registers the routes that list, read, create and change products.
import {
  createProduct as createProductCall,
  editProduct as editProductCall,
  getLogo,
  getProduct,
  getProductRecord,
  hasRole,
  listProducts,
  removeLogo as removeLogoCall,
  setLogo as setLogoCall,
  setProductStatus as setProductStatusCall,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { readLogo } from './logo.sql.ts';
import { removeLogo, setLogo } from './logo.ts';
import * as products from './products.sql.ts';
import { createProduct, editProduct, setProductStatus } from './products.ts';

export function handleProducts(handle: Handle, { db, ...tools }: { db: Database } & Clock): void {
  const today = () => tools.dayOf(tools.now());
  const required = <T>(product: T | null): T => {
    if (product === null) throw new AppError('product_not_found', 'Product not found');
    return product;
  };

  handle(getProduct, async ({ params: { id } }) => required(await products.findProduct(db, id, today())));

  handle(getProductRecord, async ({ params: { id }, caller }) => {
    const record = required(await products.findProductRecord(db, id, today()));
    // Viewers see no addresses (R-TEAM-04, N-100).
    return hasRole(caller.team_role, 'support')
      ? record
      : { ...record, paused_by: null, archived_by: null, changed_by: null };
  });

  handle(listProducts, ({ query: { archived } }) => {
    const now = tools.now();
    return products.listProducts(db, { archived: archived === 'true', now, today: tools.dayOf(now) });
  });

  handle(createProductCall, ({ body: { id, ...product }, caller }) =>
    createProduct(db, { actor: caller.email, product, id, today: today() }),
  );

  handle(editProductCall, ({ params: { id }, body, caller }) =>
    editProduct(db, { product_id: id, actor: caller.email, edited: body }, tools),
  );

  handle(setProductStatusCall, ({ params: { id }, body, caller }) =>
    setProductStatus(db, { product_id: id, actor: caller.email, ...body }, tools),
  );

  handle(setLogoCall, ({ params: { id }, body, caller }) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return setLogo(db, { product_id: id, actor: caller.email, bytes, at: tools.now() });
  });

  handle(removeLogoCall, ({ params: { id }, caller }) =>
    removeLogo(db, { product_id: id, actor: caller.email }),
  );

  handle(getLogo, async ({ params: { id, sha256 } }, reply) => {
    const logo = await readLogo(db, { product_id: id, sha256 });
    if (logo === null) throw new AppError('not_found', 'Not found');
    reply
      .type(logo.media_type)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', "default-src 'none'");
    return logo.bytes;
  });
}
