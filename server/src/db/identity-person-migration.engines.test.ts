// Tests the migration 0041, which remembers the person of each account at Google or at a hosted sign-in service.
import { expect, onTestFinished, test } from 'vitest';
import { openEmptyTestDatabase } from '../../test/open-test-database.ts';
import { listMigrations, migrate } from './migrate.ts';

const LAST_OF_OLD_VERSION = 38;

test('R-TRAIL-35: after the upgrade, accounts belong to the person whom they were linked to before the edit of an address', async () => {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  await migrate(
    db,
    (await listMigrations()).filter(({ version }) => version <= LAST_OF_OLD_VERSION),
  );
  await db.execute(`
    insert into app_user (email, auth_id) values ('alice@x.example', null), ('office@x.example', null), ('lea@x.example', null),
      ('hosted@x.example', '00000000-0000-4000-8000-000000000001'), ('bea@x.example', null);
    insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
      select name || '@x.example', now(), now(), '2026-01-01', now() from unnest(array['office', 'lea', 'nobody']) name;
    insert into auth_identity (user_id, provider, issuer, provider_id, last_sign_in_at, created_at, updated_at)
      select id, provider, '', 'id of ' || email, now(), '2026-01-01', now() from auth_user, unnest(array['email', 'google']) provider;
    insert into auth_identity (user_id, provider, issuer, provider_id, last_sign_in_at, created_at, updated_at)
      select id, 'google', '', provider_id, now(), at::timestamptz, now()
      from auth_user, (values ('the second holder', '2026-02-15'), ('the third holder', '2026-03-15')) as i (provider_id, at)
      where email = 'office@x.example';
    insert into auth_session (user_id, refreshed_at, amr, created_at) select id, now(), '[]', now() from auth_user;
    insert into audit (actor, action, user_id, detail, at)
      select 'x', 'user.edit', id, '{"email": ["office@x.example", "alice@x.example"]}', '2026-02-01'::timestamptz
      from app_user where email = 'alice@x.example';
    insert into audit (actor, action, user_id, detail, at)
      select 'x', 'user.edit', id, '{"email": ["office@x.example", "bea@x.example"]}', '2026-03-01'::timestamptz
      from app_user where email = 'bea@x.example';
    insert into audit (actor, action, user_id, detail, at)
      select 'x', 'user.edit', id, '{"email": ["lea@x.example", "hosted@x.example"]}', '2025-12-31'::timestamptz
      from app_user where email = 'hosted@x.example'`);
  await migrate(db);
  const { rows } = await db.query(
    `select provider, provider_id, u.email from identity_person p join app_user u on u.id = p.person_id order by email`,
  );
  expect(rows).toEqual([
    { provider: 'google', provider_id: 'id of office@x.example', email: 'alice@x.example' },
    { provider: 'google', provider_id: 'the second holder', email: 'bea@x.example' },
    { provider: 'hosted', provider_id: '00000000-0000-4000-8000-000000000001', email: 'hosted@x.example' },
    { provider: 'google', provider_id: 'id of lea@x.example', email: 'lea@x.example' },
    { provider: 'google', provider_id: 'the third holder', email: 'office@x.example' },
  ]);
  const left = await db.query('select email from signed_in order by email');
  expect(left.rows).toEqual([{ email: 'lea@x.example' }, { email: 'nobody@x.example' }]);
});
