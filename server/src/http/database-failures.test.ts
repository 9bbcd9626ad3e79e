// Tests database failures during a change. The response must state the cause and whether the change was made.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let token: string;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin();
});
afterAll(() => portal.close());

const raise = (errcode: string) => `raise exception 'refused' using errcode = '${errcode}'`;
// SQL that ends its own database connection, like a failover or a crash of the database server.
const LOSE_CONNECTION = 'perform pg_terminate_backend(pg_backend_pid())';

const CONFLICT = 'Somebody else changed the same at that moment. Nothing was changed. Please try again.';
const TOO_LONG = 'The database took too long. Nothing was changed. Please try again.';
const LOST = 'The connection to the database was lost. Nothing was changed. Please try again.';
const UNKNOWN =
  'The connection to the database was lost. It is not known whether the change was made. Please look before you try again.';

test.each([
  ['a deadlock', 'concurrent_change', CONFLICT, raise('40P01')],
  ['a serialization failure', 'concurrent_change', CONFLICT, raise('40001')],
  ['a lock time-out', 'concurrent_change', CONFLICT, raise('55P03')],
  ['a statement time-out', 'timed_out', TOO_LONG, raise('57014')],
  ['a connection lost before the commit', 'connection_lost', LOST, LOSE_CONNECTION],
])('%s has its own error code and message, and nothing was changed', async (_what, code, message, sql) => {
  const { response, created } = await addProductWhile(sql, 'trigger');
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, body: { code, message } });
  expect(created).toBe(0);
});

test('a connection lost during the commit has its own error code, and the message states that the outcome is unknown', async () => {
  const { response } = await addProductWhile(LOSE_CONNECTION, 'constraint trigger');
  expect(response).toMatchObject({ status: 503, body: { code: 'outcome_unknown', message: UNKNOWN } });
});

test('if a read fails, the message does not mention changes', async () => {
  await portal.db.execute(`
    create function fail() returns int language plpgsql as $$ begin ${raise('57014')}; end $$;
    alter table coupon_batch rename to batch_away;
    create view coupon_batch as select * from batch_away where (select fail()) = 1`);
  const response = await portal.call('GET', '/api/admin/batches', { token });
  await portal.db.execute('drop view coupon_batch; alter table batch_away rename to coupon_batch');
  expect(response).toMatchObject({
    status: 503,
    body: { code: 'unavailable', message: 'The service is busy. Please try again.' },
  });
});

test.each([
  ['a deadlock', '40P01'],
  ['a full disk', '53100'],
])('%s refuses a sign-in for now, in the words of the other calls', async (_what, errcode) => {
  await portal.db.execute(`
    create function refuse() returns trigger language plpgsql as $$ begin ${raise(errcode)}; end $$;
    create trigger refusing before insert on auth_mail_window for each row execute function refuse()`);
  const answer = await portal.call('POST', '/auth/v1/otp', { body: { email: 'busy@example.org' } });
  await portal.db.execute('drop trigger refusing on auth_mail_window; drop function refuse()');
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { msg: 'The service is busy. Please try again.' },
  });
});

test('each of these messages has a German translation', () => {
  const words = readFileSync(new URL('../../../contract/src/words/de.ts', import.meta.url), 'utf8');
  for (const sentence of [CONFLICT, TOO_LONG, LOST, UNKNOWN]) expect(words).toContain(sentence);
});

/**
 * Adds a product while a database trigger runs `sql`. A `trigger` runs during the insert, a `constraint trigger` during
 * the commit.
 * Returns the response and the number of products that were created.
 */
async function addProductWhile(sql: string, kind: 'trigger' | 'constraint trigger') {
  const { db } = portal;
  const deferred = kind === 'trigger' ? '' : 'deferrable initially deferred';
  await db.execute(`
    create function happen() returns trigger language plpgsql as $$ begin ${sql}; return new; end $$;
    create ${kind} happening after insert on product ${deferred} for each row execute function happen()`);
  const body = { name: `Tarnquill ${sql}`, description: 'A workspace.', url: 'tarnquill.example' };
  const response = await portal.call('POST', '/api/products', { token, body });
  await db.execute('drop trigger happening on product; drop function happen()');
  const { rows } = await db.query<{ created: number }>(
    'select count(*)::int as created from product where name = $1',
    [body.name],
  );
  return { response, created: rows[0]?.created };
}
