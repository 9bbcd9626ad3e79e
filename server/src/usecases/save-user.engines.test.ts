import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { saveUser } from './save-user.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('A-34, R-TRAIL-02: creating and updating a user leaves an audit line each, with the old values of what changed', async () => {
  const { product_id } = await addProduct(db);
  const user = { email: 'saved@example.org', name: 'Ada', phone_number: '+44 1', product_ids: [product_id] };
  const actor = 'staff@example.org';
  const { id } = await saveUser(db, { actor, user });
  await saveUser(db, { actor, user: { ...user, name: 'Ada Lovelace', phone_number: null } });
  await saveUser(db, { actor, user: { ...user, name: 'Ada Lovelace', phone_number: null } });
  const { rows } = await db.query('select actor, action, detail from audit where user_id = $1 order by id', [
    id,
  ]);
  expect(rows).toEqual([
    { actor, action: 'user.create', detail: { granted: [product_id] } },
    {
      actor,
      action: 'user.update',
      detail: { granted: [], name: ['Ada', 'Ada Lovelace'], phone_number: ['+44 1', null] },
    },
    { actor, action: 'user.update', detail: { granted: [] } },
  ]);
});
