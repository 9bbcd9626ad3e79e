// Tests the migrations 0036 to 0038, which copy into each grant whether its cohort is archived.
import { expect, onTestFinished, test } from 'vitest';
import { openEmptyTestDatabase } from '../../test/open-test-database.ts';
import { isGranted } from '../stores/access.ts';
import { listMigrations, migrate } from './migrate.ts';

const LAST_OF_OLD_VERSION = 35;

test('after the upgrade, a cohort gives access if, and only if, it is not archived', async () => {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  await migrate(
    db,
    (await listMigrations()).filter(({ version }) => version <= LAST_OF_OLD_VERSION),
  );
  await db.execute(`
    insert into product (name, description, url) values ('Tool', 'A tool.', 'tool.example');
    insert into cohort (name, created_by, archived_at) values ('past', 'x', '2026-01-01Z'), ('present', 'x', null);
    insert into app_user (email) select c.name || '@example.org' from cohort c;
    insert into cohort_member (cohort_id, user_id, joined_by)
      select cohort_id, u.id, 'x' from cohort c join app_user u on u.email = c.name || '@example.org';
    insert into access_grant (cohort_id, product_id, starts_on, granted_by)
      select cohort_id, product_id, '2026-01-01', 'x' from cohort, product`);
  await migrate(db);
  const { rows } = await db.query<{ email: string; user_id: string; product_id: string }>(
    'select email, id as user_id, product_id from app_user, product',
  );
  const granted = async () =>
    Object.fromEntries(
      await Promise.all(
        rows.map(async ({ email, ...of }) => [email, await isGranted(db, { ...of, today: '2026-11-20' })]),
      ),
    );
  expect(await granted()).toEqual({ 'past@example.org': false, 'present@example.org': true });
  await db.execute("update cohort set archived_at = case name when 'present' then now() end");
  expect(await granted()).toEqual({ 'past@example.org': true, 'present@example.org': false });
});
