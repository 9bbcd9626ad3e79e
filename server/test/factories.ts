// Makes products, codes and learners in a test database, through the same stores and use cases as the portal.
import { randomUUID } from 'node:crypto';
import type { NewProduct, Product } from '@portal/contract';
import type { Database } from '../src/db/database.ts';
import type { Caller } from '../src/stores/callers.ts';
import { createBatch, createCoupons } from '../src/stores/coupons.ts';
import { createProduct } from '../src/usecases/create-product.ts';
import { saveUser } from '../src/usecases/save-user.ts';

const ACTOR = 'staff@example.org';

/** A product with `codes` (their text, or how many to make). */
export async function addProduct(
  db: Database,
  { codes = [], ...given }: Partial<NewProduct> & { codes?: string[] | number } = {},
): Promise<Product> {
  const product = await createProduct(db, {
    actor: ACTOR,
    product: {
      name: 'Tarnquill',
      description: 'A writing workspace.',
      url: 'tarnquill.example/redeem',
      page_title: null,
      header_text: null,
      instructions: null,
      shared_coupon: false,
      ...given,
    },
  });
  const texts =
    typeof codes === 'number' ? Array.from({ length: codes }, (_, index) => `CODE-${index}`) : codes;
  await addCodes(db, product, texts);
  return product;
}

export async function addCodes(db: Database, product: Product, codes: string[]): Promise<void> {
  const { product_id, shared_coupon: shared } = product;
  const batch_id = await createBatch(db, { product_id, source: 'file', created_by: ACTOR });
  await createCoupons(db, { product_id, batch_id, shared, codes });
}

/** A learner who may redeem `products`. */
export async function addLearner(db: Database, products: Product[], email = makeEmail()): Promise<Caller> {
  const product_ids = products.map(({ product_id }) => product_id);
  const user = await saveUser(db, {
    actor: ACTOR,
    user: { email, name: 'Amara Okafor', phone_number: null, product_ids },
  });
  return { auth_id: randomUUID(), email, name: user.name, user_id: user.id, user_role: 'user' };
}

function makeEmail(): string {
  return `learner-${randomUUID().slice(0, 8)}@example.org`;
}
