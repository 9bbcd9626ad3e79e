// Tests that a person who reads the whole database, for example in a stolen backup, cannot sign in with it.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail } from '../../test/open-test-sign-in.ts';

const { db, signIn } = keepTestSignIn();

/** Returns every row of every table as text. */
async function readEverything(): Promise<string> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return texts.join('\n');
}

test('no table contains a link, code, token or exchange code, nor an unkeyed hash of a six-digit code', async () => {
  const [waiting, living, exchanging] = [createEmail(), createEmail(), createEmail()];
  // The log has lines about mails and sessions only for addresses that the portal knows.
  for (const email of [waiting, living, exchanging])
    await db.query('insert into app_user (email) values ($1)', [email]);
  const pending = await signIn.requestMail(waiting);

  const { token } = await signIn.requestMail(living);
  const client = signIn.createClient();
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  const { data: renewed } = await client.refreshSession();

  const pkce = signIn.createClient('pkce');
  await pkce.signInWithOtp({ email: exchanging });
  const mail = await signIn.readMail(exchanging);
  const query = new URLSearchParams({ token: mail.token, type: 'magiclink' });
  const opened = await signIn.call(`/verify?${query}`);
  const auth_code = new URL(opened.headers.get('location') ?? '').searchParams.get('code');

  await expect
    .poll(async () => (await db.query("select 1 from audit where action = 'mail.send'")).rows)
    .toHaveLength(3);
  const everything = await readEverything();
  for (const row of [
    `audit {`,
    `auth_one_time_token {`,
    `auth_session {`,
    `auth_flow_state {`,
    `auth_signing_key {`,
  ]) {
    expect(everything).toContain(row);
  }
  const secrets = [
    pending.token,
    token,
    mail.token,
    auth_code,
    data.session?.access_token,
    data.session?.refresh_token,
    renewed.session?.access_token,
    renewed.session?.refresh_token,
  ];
  for (const secret of secrets) {
    expect(secret).toMatch(/.{20}/);
    expect(everything).not.toContain(secret);
  }
  for (const guess of [pending.code, `${waiting}${pending.code}`, `${waiting}:${pending.code}`]) {
    expect(everything).not.toContain(`"${guess}"`);
    for (const algorithm of ['sha256', 'sha224', 'sha1', 'md5']) {
      expect(everything).not.toContain(createHash(algorithm).update(guess).digest('hex'));
    }
  }
  // The search above would prove nothing if `pending.token` were not a valid token. So this statement signs in with the
  // token.
  expect(
    (await signIn.createClient().verifyOtp({ type: 'email', token_hash: pending.token })).error,
  ).toBeNull();
});
