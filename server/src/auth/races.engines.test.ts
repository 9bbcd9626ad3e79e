// Tests operations that must succeed only once, for example using a mailed link. Several requests and processes attempt
// the same operation at the same time.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase, openTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import {
  createEmail,
  createTestClock,
  openTestSignIn,
  SECRET_KEY,
  type TestSignIn,
} from '../../test/open-test-sign-in.ts';
import type { Database, Db } from '../db/database.ts';
import { type Mail, type Mailer, openOutbox } from '../gateways/mailer.ts';
import { spendLink } from './mailed-link.sql.ts';
import { deriveSecrets, hashToken } from './secrets.ts';
import { confirmEmail, revokeSessions, startSession } from './sessions.ts';
import { listSigningKeys } from './signing-keys.sql.ts';
import { openSigningKeys } from './signing-keys.ts';

const clock = createTestClock();
const outbox = openOutbox({ log: { info: () => undefined }, now: clock.now });

// One database for each process: two processes on PostgreSQL, each with its own pool, and one on the embedded engine.
let databases: Database[];
let services: TestSignIn[];
let signIn: TestSignIn;

async function openDatabases(): Promise<Database[]> {
  if (inject('engine') === 'embedded') return [await openTestDatabase()];
  const url = await createTestDatabase();
  return [await openTestPostgres(url), await openTestPostgres(url)];
}

beforeAll(async () => {
  databases = await openDatabases();
  services = await Promise.all(databases.map((db) => openTestSignIn(db, { clock, outbox })));
  signIn = services[0] as TestSignIn;
});

afterAll(async () => {
  for (const service of services) await service.close();
  for (const db of databases) await db.close();
});

/** Makes `count` concurrent calls, distributed over the processes. */
function callAll<T>(count: number, call: (service: TestSignIn, turn: number) => Promise<T>): Promise<T[]> {
  return Promise.all(
    Array.from({ length: count }, (_, turn) => call(services[turn % services.length] ?? signIn, turn)),
  );
}

describe('at the same moment', () => {
  test('twenty requests for one address send one mail', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = createEmail();
      const answers = await callAll(20, (service) => service.call('/otp', { body: { email } }));
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([200, ...Array<number>(19).fill(429)]);
      await signIn.readMail(email);
      await expect.poll(async () => (await countQueue()).waiting).toBe(0);
      expect(outbox.list().filter((mail) => mail.to === email)).toHaveLength(1);
    }
  });

  test('of ten that open one link, one is signed in', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = createEmail();
      const { token } = await signIn.requestMail(email);
      const body = { type: 'magiclink', token_hash: token };
      const answers = await callAll(10, (service) => service.call('/verify', { body }));
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(9).fill(403)]);
      const { rows } = await database().query('select 1 from signed_in where email = $1', [email]);
      expect(rows).toHaveLength(1);
    }
  });

  test('link and code of one mail sign in once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = createEmail();
      const { token, code } = await signIn.requestMail(email);
      const bodies = [
        { type: 'magiclink', token_hash: token },
        { type: 'email', email, token: code },
      ];
      const answers = await callAll(4, (service, turn) =>
        service.call('/verify', { body: bodies[Math.floor(turn / 2)] }),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 403, 403, 403]);
    }
  });

  test('fifty guesses of a code are five tries', async () => {
    const email = createEmail();
    const { code } = await signIn.requestMail(email);
    const tries = await callAll(50, (service, turn) => {
      const token = String((Number(code) + turn + 1) % 1_000_000).padStart(6, '0');
      return service.call('/verify', { body: { type: 'email', email, token } });
    });
    expect(new Set(tries.map((answer) => answer.status))).toEqual(new Set([403]));
    const { rows } = await database().query<{ wrong: number }>(
      'select wrong from auth_wrong_code where email = $1',
      [email],
    );
    expect(rows).toEqual([{ wrong: 5 }]);
    const right = await signIn.call('/verify', { body: { type: 'email', email, token: code } });
    expect(right.status).toBe(403);
  });

  test('twenty refreshes with one token return the same current token, and the session stays', async () => {
    const { token } = await signIn.requestMail(createEmail());
    const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    const body = { refresh_token: data.session?.refresh_token };
    const answers = await callAll(20, (service) => service.call('/token?grant_type=refresh_token', { body }));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { refresh_token: string }[];
    expect(new Set(bodies.map((answer) => answer.refresh_token)).size).toBe(1);
  });

  test('of ten that exchange one code, one gets the session', async () => {
    const email = createEmail();
    const verifier = 'v'.repeat(43);
    const challenge = { code_challenge: verifier, code_challenge_method: 'plain' };
    await signIn.call('/otp', { body: { email, ...challenge } });
    const { token } = await signIn.readMail(email);
    const opened = await signIn.call(`/verify?${new URLSearchParams({ token, type: 'email' })}`);
    const code = new URL(opened.headers.get('location') ?? '').searchParams.get('code');
    const answers = await callAll(10, (service) =>
      service.call('/token?grant_type=pkce', { body: { auth_code: code, code_verifier: verifier } }),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  test('ten proofs of a new address create one user', async () => {
    const email = createEmail();
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        (databases[turn % databases.length] as Database).transaction((tx) =>
          confirmEmail(tx, email, clock.now()),
        ),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    const { rows } = await database().query('select 1 from auth_identity where user_id = $1', [ids[0]]);
    expect(rows).toHaveLength(1);
  });
});

describe('several processes', () => {
  test('that start together on a new database agree on one signing key', async () => {
    const fresh = await openDatabases();
    const { sealKey } = deriveSecrets(SECRET_KEY);
    const rings = await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        openSigningKeys({ db: fresh[turn % fresh.length] as Database, sealKey, now: clock.now }),
      ),
    );
    const kids = await Promise.all(rings.map(async (ring) => (await ring.getSigningKey()).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await listSigningKeys(fresh[0] as Database)).toHaveLength(1);
    for (const db of fresh) await db.close();
  });

  test('that rotate the signing key at once end with one signing key, and an audit row for each rotation', async () => {
    const [first] = await listSigningKeys(database());
    const made = await callAll(4, (service) => service.service.rotateKeys({ revoke: false }));
    const keys = await listSigningKeys(database());
    const signing = keys.filter((key) => key.retired_at === null);
    expect(signing).toHaveLength(1);
    expect(made).toContain(signing[0]?.kid);
    expect(keys.map((key) => key.kid).sort()).toEqual([first?.kid, ...made].sort());
    const { rows } = await database().query<{ kid: string }>(
      `select detail->>'kid' as kid from audit where action = 'signing_key.rotate'`,
    );
    expect(rows.map((row) => row.kid).sort()).toEqual([...made].sort());
  });

  test('share the queue and send each mail once', async () => {
    const fresh = await openDatabases();
    const sent: string[] = [];
    const mailer: Mailer = {
      send: async (mail: Mail) => {
        sent.push(mail.to);
        return '250 OK';
      },
      close: async () => undefined,
    };
    const workers = await Promise.all(fresh.map((db) => openTestSignIn(db, { clock, mailer })));
    const emails = Array.from({ length: 60 }, createEmail);
    await Promise.all(
      emails.map((email, turn) => workers[turn % workers.length]?.call('/otp', { body: { email } })),
    );
    await expect.poll(() => sent.length).toBeGreaterThanOrEqual(60);
    for (const worker of workers) await worker.close();
    expect([...sent].sort()).toEqual([...emails].sort());
    for (const db of fresh) await db.close();
  });
});

test('a sign-in that uses its link while the operator ends the sessions of its address is ended too', async () => {
  const email = createEmail();
  const { token } = await signIn.requestMail(email);
  let revoking: Promise<unknown> = Promise.resolve();
  const session_id = await database().transaction(async (tx) => {
    expect(await spendLink(tx, hashToken(token), clock.now())).not.toBeNull();
    revoking = revokeSessions({ db: databases.at(-1) as Database }, { email, unlink: false });
    await expect.poll(() => countWaiting(tx)).toBeGreaterThan(0);
    const user_id = await confirmEmail(tx, email, clock.now());
    return (await startSession(tx, { user_id, method: 'otp' }, clock.now())).session_id;
  });
  expect(await revoking).toEqual({ sessions: 1, unlinked: 0 });
  const { rows } = await database().query('select 1 from auth_session where id = $1', [session_id]);
  expect(rows).toEqual([]);
});

/**
 * Returns the number of statements that `tx` blocks: by its locks, or on the embedded engine by using the only
 * connection.
 */
async function countWaiting(tx: Db): Promise<number> {
  if (database().engine === 'embedded') return database().countConnections().waiting;
  const { rowCount } = await tx.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

function database(): Database {
  return databases[0] as Database;
}

async function countQueue(): Promise<{ waiting: number }> {
  const { rows } = await database().query('select 1 from auth_mail');
  return { waiting: rows.length };
}
