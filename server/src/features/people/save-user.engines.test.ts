// Tests saving users: the audit lines, and which fields keep their old value.
import { savedUser } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { findUser } from './people.sql.ts';
import { saveUser } from './person.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('A-34, R-TRAIL-02: creating and updating a user each add an audit line, with old and new values of changed fields', async () => {
  const { product_id } = await addProduct(db);
  const user = { email: 'saved@example.org', name: 'Ada', phone_number: '+44 1', product_ids: [product_id] };
  const actor = 'staff@example.org';
  const { id } = await saveUser(db, { actor, today: utcToday(), user });
  await saveUser(db, {
    actor,
    today: utcToday(),
    user: { ...user, name: 'Ada Lovelace', phone_number: '+44 2' },
  });
  await saveUser(db, {
    actor,
    today: utcToday(),
    user: { ...user, name: 'Ada Lovelace', phone_number: null },
  });
  const { rows } = await db.query(
    "select actor, action, detail from audit where user_id = $1 and action like 'user.%' order by id",
    [id],
  );
  expect(rows).toEqual([
    { actor, action: 'user.create', detail: { granted: [product_id] } },
    {
      actor,
      action: 'user.update',
      detail: { granted: [], name: ['Ada', 'Ada Lovelace'], phone_number: ['+44 1', '+44 2'] },
    },
    { actor, action: 'user.update', detail: { granted: [] } },
  ]);
});

/** Saves a user from a request body, which is parsed as in the route. */
async function save(body: { email: string; name?: string; phone_number?: string | null }) {
  const { product_id } = await addProduct(db);
  return saveUser(db, {
    actor: 'operator',
    today: utcToday(),
    user: savedUser.parse({ ...body, product_ids: [product_id] }),
  });
}

test('A-34, A-88: saving an existing address keeps name and phone if they are empty', async () => {
  const known = { email: 'kept@example.org', name: 'Kept', phone_number: '+1 5' };
  await save(known);
  expect(await save({ email: known.email })).toMatchObject(known);
  expect(await save({ email: known.email, name: ' ', phone_number: '+1 6' })).toMatchObject({
    name: 'Kept',
    phone_number: '+1 6',
  });
  expect(await save({ email: known.email, name: 'Renamed', phone_number: null })).toMatchObject({
    name: 'Renamed',
    phone_number: '+1 6',
  });
});

test('A-88: a new address needs a name; without one no user is created', async () => {
  const email = 'nameless@example.org';
  await expect(save({ email })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'name is required',
  });
  expect(await findUser(db, email)).toBeNull();
});
