// What staff are told when the database fails under a change: what happened, and whether the change was made.
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
// As an operator, a fail-over or a crash of the server's process ends it.
const LOSE_CONNECTION = 'perform pg_terminate_backend(pg_backend_pid())';

const CONFLICT = 'Somebody else changed the same at that moment. Nothing was changed. Please try again.';
const TOO_LONG = 'The database took too long. Nothing was changed. Please try again.';
const LOST = 'The connection to the database was lost. Nothing was changed. Please try again.';
const UNKNOWN =
  'The connection to the database was lost. It is not known whether the change was made. Please look before you try again.';

test.each([
  ['a deadlock', 'concurrent_change', CONFLICT, raise('40P01')],
  ['a change that came in between', 'concurrent_change', CONFLICT, raise('40001')],
  ['a lock that nobody gave back in time', 'concurrent_change', CONFLICT, raise('55P03')],
  ['a statement that took too long', 'timed_out', TOO_LONG, raise('57014')],
  ['a connection lost before the commit', 'connection_lost', LOST, LOSE_CONNECTION],
])('%s is told as what it is, and nothing was changed', async (_what, code, message, happening) => {
  const { answer, made } = await addProductWhile(happening, 'trigger');
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, body: { code, message } });
  expect(made).toBe(0);
});

test('a connection lost at the commit is told as what it is: whether the change was made is not known', async () => {
  const { answer } = await addProductWhile(LOSE_CONNECTION, 'constraint trigger');
  expect(answer).toMatchObject({ status: 503, body: { code: 'outcome_unknown', message: UNKNOWN } });
});

test('what is only read is said to be busy, without a word of changes', async () => {
  await portal.db.execute(`
    create function fail() returns int language plpgsql as $$ begin ${raise('57014')}; end $$;
    alter table product rename to product_away;
    create view product as select * from product_away where (select fail()) = 1`);
  const answer = await portal.call('GET', '/api/products', { token });
  await portal.db.execute('drop view product; alter table product_away rename to product');
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'unavailable', message: 'The service is busy. Please try again.' },
  });
});

test('the pages have each of these sentences in German', () => {
  const words = readFileSync(new URL('../../../contract/src/words/de.ts', import.meta.url), 'utf8');
  for (const sentence of [CONFLICT, TOO_LONG, LOST, UNKNOWN]) expect(words).toContain(sentence);
});

/** A deferred constraint trigger runs within the commit. */
async function addProductWhile(happening: string, kind: 'trigger' | 'constraint trigger') {
  const { db } = portal;
  const deferred = kind === 'trigger' ? '' : 'deferrable initially deferred';
  await db.execute(`
    create function happen() returns trigger language plpgsql as $$ begin ${happening}; return new; end $$;
    create ${kind} happening after insert on product ${deferred} for each row execute function happen()`);
  const body = { name: `Tarnquill ${happening}`, description: 'A workspace.', url: 'tarnquill.example' };
  const answer = await portal.call('POST', '/api/products', { token, body });
  await db.execute('drop trigger happening on product; drop function happen()');
  const { rows } = await db.query<{ made: number }>(
    'select count(*)::int as made from product where name = $1',
    [body.name],
  );
  return { answer, made: rows[0]?.made };
}
