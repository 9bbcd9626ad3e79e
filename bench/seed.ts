// Inserts learners with sessions, other people, cohorts, and products with codes, directly into a benchmark's database.

import { deriveSecrets } from '../server/src/auth/secrets.ts';
import { openSigningKeys } from '../server/src/auth/signing-keys.ts';
import { openAccessTokens } from '../server/src/auth/tokens.ts';
import type { Database } from '../server/src/db/database.ts';
import type { Identity } from '../server/src/features/team/callers.sql.ts';

export type Learner = { user_id: string; token: string; identity: Identity };

const now = () => new Date();

/**
 * Inserts `count` learners who are signed in and may redeem every product. A portal with the same `secretKey` and
 * `publicUrl` accepts their access tokens.
 */
export async function makeLearners(
  db: Database,
  { count, secretKey, publicUrl }: { count: number; secretKey: Buffer; publicUrl: string },
): Promise<Learner[]> {
  await db.execute(`
    insert into app_user (email, name)
      select 'learner-' || n || '@example.org', 'Learner' from generate_series(1, ${count}) n;
    insert into access_grant (user_id, starts_on, granted_by) select id, '2000-01-01', 'bench' from app_user order by id;
    insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
      select email, now(), now(), now(), now() from app_user;
    insert into auth_session (user_id, refreshed_at, amr, created_at)
      select id, now(), '[{"method": "otp", "timestamp": 1}]', now() from auth_user;
    analyze;`);
  const secrets = deriveSecrets(secretKey);
  const keys = await openSigningKeys({ db, sealKey: secrets.sealKey, now });
  const issuer = new URL('/auth/v1', publicUrl).href;
  const tokens = openAccessTokens({ keys, issuer, tokenSeconds: 3600, now });
  const { rows } = await db.query<
    { user_id: string; session: string; amr: [] } & Parameters<typeof tokens.issue>[0]
  >(
    `select u.id as user_id, s.id as session, s.amr, a.*, '[]'::jsonb as identities from app_user u
     join auth_user a on a.email = u.email join auth_session s on s.user_id = a.id order by u.id`,
  );
  return Promise.all(
    rows.map(async ({ user_id, session, amr, ...user }) => {
      const { access_token } = await tokens.issue(user, { session_id: session, amr });
      const identity = { auth_id: user.id, email: user.email, name: null, session_id: session };
      return { user_id, token: access_token, identity };
    }),
  );
}

/** Inserts a product with `codes` free codes and returns its id. */
export async function makeProduct(db: Database, codes: number): Promise<string> {
  const { rows } = await db.query<{ product_id: string }>(
    "insert into product (name, description, url) values ('Hot', 'Hot', 'hot.example') returning product_id",
  );
  const product_id = rows[0]?.product_id ?? '';
  const batch = await db.query<{ id: string }>(
    "insert into coupon_batch (product_id, source, created_by) values ($1, 'file', 'bench') returning id",
    [product_id],
  );
  await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code)
     select $1, $2, false, 'CODE-' || n from generate_series(1, $3::int) n`,
    [product_id, batch.rows[0]?.id, codes],
  );
  await db.execute('analyze coupon');
  return product_id;
}

/**
 * Inserts `count` people who never signed in, with addresses such as person-7@example.org. The names are made of 64
 * first names and 256 last names, such as 'First7 Last12', in no order.
 */
export async function makePeople(db: Database, count: number): Promise<void> {
  await db.execute(
    `insert into app_user (email, name)
     select 'person-' || n || '@example.org', 'First' || (hashint4(n) & 63) || ' Last' || (hashint4(-n) & 255)
       from generate_series(1, ${count}) n;
     analyze app_user;`,
  );
}

/**
 * Inserts `count` cohorts: Intake 0, Intake 1, and so on. Everybody is in `each` of them, and each cohort is given three
 * of the products, or all if there are fewer.
 */
export async function makeCohorts(
  db: Database,
  { count, each, products }: { count: number; each: number; products: readonly string[] },
): Promise<void> {
  await db.execute(`
    insert into cohort (name, created_by) select 'Intake ' || n, 'bench' from generate_series(0, ${count - 1}) n;
    insert into cohort_member (cohort_id, user_id, joined_by)
      select c.cohort_id, u.id, 'bench' from app_user u cross join generate_series(0, ${each - 1}) k
      join cohort c on c.name = 'Intake ' || (u.id * ${each} + k) % ${count};`);
  await db.query(
    `insert into access_grant (cohort_id, product_id, starts_on, granted_by)
     select cohort_id, ($1::uuid[])[1 + (substr(name, 8)::int + k) % $2::int], '2000-01-01', 'bench'
     from cohort cross join generate_series(0, least(3, $2::int) - 1) k`,
    [products, products.length],
  );
  await db.execute('analyze');
}
