// Tests the migration 0040, which remembers removals from the team by address.
import { expect, onTestFinished, test } from 'vitest';
import { openEmptyTestDatabase } from '../../test/open-test-database.ts';
import { listWithoutRole } from '../stores/team.ts';
import { listMigrations, migrate } from './migrate.ts';

const LAST_OF_OLD_VERSION = 38;

test('R-TEAM-15: after the upgrade, ADMIN_EMAILS gives no role to addresses that left the team before', async () => {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  await migrate(
    db,
    (await listMigrations()).filter(({ version }) => version <= LAST_OF_OLD_VERSION),
  );
  await db.execute(`
    insert into app_user (email, user_role, team_role, left_team_at) values
      ('removed@x.example', 'user', null, now()), ('removed-then-moved@y.example', 'user', null, now()),
      ('moved@y.example', 'admin', 'owner', null), ('learner@y.example', 'user', null, null);
    insert into audit (actor, action, user_id, detail)
      select 'x', 'user.edit', id, jsonb_build_object('email', jsonb_build_array(replace(email, '@y.', '@x.'), email))
      from app_user where email like '%@y.example';
    insert into audit (actor, action, user_id, detail)
      select 'x', 'user.edit', id, '{"name": ["A", "B"]}' from app_user`);
  await migrate(db);
  const left = ['removed', 'removed-then-moved', 'moved'];
  const emails = [...left, 'learner', 'new'].map((name) => `${name}@x.example`);
  expect((await listWithoutRole(db, emails)).toSorted()).toEqual(['learner@x.example', 'new@x.example']);
});
