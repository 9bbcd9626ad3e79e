// Creates products, codes and learners in a test database, by calling functions of the portal.
import { randomUUID } from 'node:crypto';
import { type NewProduct, newProduct, type Product } from '@portal/contract';
import { createDayOf } from '../src/day.ts';
import type { Database } from '../src/db/database.ts';
import { createBatch, createCoupons } from '../src/features/codes/batches.sql.ts';
import { saveUser } from '../src/features/people/person.ts';
import { createProduct } from '../src/features/products/products.ts';
import type { Caller, Identity } from '../src/features/team/callers.sql.ts';

/** Converts a moment to its day in UTC, as YYYY-MM-DD. Tests use it as `dayOf` of a portal whose TIME_ZONE is UTC. */
export const utcDayOf = createDayOf('UTC');
export const utcToday = () => utcDayOf(new Date());

// First day of access: the earliest day that the portal accepts, so that it is before each day of a test's clock.
const FIRST_DAY = '2000-01-01';
const ACTOR = 'staff@example.org';

/** Creates a product with codes. `codes` is a list of texts of the codes, or the number of codes to generate. */
export async function addProduct(
  db: Database,
  { codes = [], ...given }: Partial<NewProduct> & { codes?: string[] | number } = {},
): Promise<Product> {
  const product = await createProduct(db, {
    actor: ACTOR,
    today: utcToday(),
    product: newProduct.parse({
      name: 'Tarnquill',
      description: 'A writing workspace.',
      url: 'tarnquill.example/redeem',
      ...given,
    }),
  });
  const texts =
    typeof codes === 'number' ? Array.from({ length: codes }, (_, index) => `CODE-${index}`) : codes;
  await addCodes(db, product, texts);
  return product;
}

export async function addCodes(
  db: Database,
  product: Product,
  codes: string[],
  use_by = 'infinity',
): Promise<void> {
  const { product_id, shared_coupon: shared } = product;
  const batch_id = await createBatch(db, {
    product_id,
    source: 'file',
    created_by: ACTOR,
    codes: codes.length,
  });
  await createCoupons(db, { product_id, batch_id, shared, codes, use_by: codes.map(() => use_by) });
}

/**
 * Creates a learner with access to `products`. In the result, `session_id` is null, as for a user of a hosted sign-in
 * service: the portal does not store the sessions of such a service.
 */
export async function addLearner(
  db: Database,
  products: Product[],
  email = makeEmail(),
): Promise<Caller & Identity> {
  const product_ids = products.map(({ product_id }) => product_id);
  const user = await saveUser(db, {
    actor: ACTOR,
    user: { email, name: 'Amara Okafor', phone_number: null, product_ids, starts_on: FIRST_DAY },
    today: utcToday(),
  });
  return {
    auth_id: randomUUID(),
    email,
    name: user.name,
    session_id: null,
    user_id: user.id,
    user_role: 'user',
    team_role: null,
  };
}

/**
 * Inserts a session of the embedded sign-in service for a learner. Returns the identity that the access token of this
 * session would contain.
 */
export async function startSessionOf(
  db: Database,
  { email, name }: Pick<Caller, 'email' | 'name'>,
): Promise<Identity> {
  const { rows } = await db.query<{ auth_id: string; session_id: string }>(
    `with person as (
       insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
       values ($1, now(), now(), now(), now()) returning id
     )
     insert into auth_session (user_id, refreshed_at, amr, created_at) select id, now(), '[]', now() from person
     returning user_id as auth_id, id as session_id`,
    [email],
  );
  const { auth_id = '', session_id = '' } = rows[0] ?? {};
  return { auth_id, email, name, session_id };
}

function makeEmail(): string {
  return `learner-${randomUUID().slice(0, 8)}@example.org`;
}
