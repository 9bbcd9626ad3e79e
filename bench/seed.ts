// Inserts learners with sessions, and products with codes, directly into a benchmark's database.
import { openAccessTokens } from '../server/src/auth/access-tokens.ts';
import { deriveSecrets } from '../server/src/auth/secrets.ts';
import { openSigningKeys } from '../server/src/auth/signing-keys.ts';
import type { Database } from '../server/src/db/database.ts';
import type { Identity } from '../server/src/stores/callers.ts';

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
      const { access_token } = await tokens.issue(user, { id: session, amr });
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
