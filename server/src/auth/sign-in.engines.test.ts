// Tests sign-in by mailed link and by mailed code, with auth-js as the client.
import { describe, expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { CALLBACK, createEmail, openTestSignIn, PUBLIC_URL } from '../../test/open-test-sign-in.ts';
import type { Database, Db } from '../db/database.ts';

const { db, signIn } = keepTestSignIn();

describe('the mailed link', () => {
  test('R-LOGIN-14, R-ENT-01, R-ENT-02, R-API-26: signs in a new address', async () => {
    const email = createEmail();
    const { token } = await signIn.requestMail(email);
    const client = signIn.createClient();
    const { data, error } = await client.verifyOtp({ type: 'magiclink', token_hash: token });
    expect(error).toBeNull();
    expect(data.session).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 3600,
      expires_at: expect.any(Number),
      user: { id: expect.any(String), email, factors: [] },
    });
    expect(data.user).toMatchObject({ email, aud: 'authenticated', role: 'authenticated', phone: '' });
    expect(data.user?.identities?.[0]).toMatchObject({ provider: 'email', id: data.user?.id });
    expect((await client.getUser()).data.user?.id).toBe(data.user?.id);
  });

  test('R-LOGIN-13: works once only', async () => {
    const { token } = await signIn.requestMail(createEmail());
    await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    const again = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' });
    expect(again.data.session).toBeNull();
  });

  test.each(['magiclink', 'signup', 'email'] as const)('is accepted with type %s', async (type) => {
    const { token } = await signIn.requestMail(createEmail());
    const { error } = await signIn.createClient().verifyOtp({ type, token_hash: token });
    expect(error).toBeNull();
  });

  test('is refused with the type of another mail, and stays valid', async () => {
    const { token } = await signIn.requestMail(createEmail());
    const client = signIn.createClient();
    expect((await client.verifyOtp({ type: 'recovery', token_hash: token })).error?.code).toBe('otp_expired');
    expect((await client.verifyOtp({ type: 'magiclink', token_hash: token })).error).toBeNull();
  });

  test('expires on the second', async () => {
    const [early, late] = [await signIn.requestMail(createEmail()), await signIn.requestMail(createEmail())];
    signIn.clock.advance(3599);
    const inTime = await signIn.createClient().verifyOtp({ type: 'email', token_hash: early.token });
    expect(inTime.error).toBeNull();
    signIn.clock.advance(1);
    const tooLate = await signIn.createClient().verifyOtp({ type: 'email', token_hash: late.token });
    expect(tooLate.error?.code).toBe('otp_expired');
  });

  test('R-MAP-04: the digits of the mailed code may be full-width or of another script, with invisible signs around them', async () => {
    for (const first of ['０', '٠', '०']) {
      const email = createEmail();
      const { code } = await signIn.requestMail(email);
      const token = code.replaceAll(/\d/g, (digit) =>
        String.fromCodePoint((first.codePointAt(0) ?? 0) + Number(digit)),
      );
      const typed = { type: 'email', email, token: `\u200B${token}\u00A0` } as const;
      const { data } = await signIn.createClient().verifyOtp(typed);
      expect(data.user?.email).toBe(email);
    }
  });

  test('signs in the same account for an address with capital letters and spaces around it (A-07)', async () => {
    const email = createEmail();
    await signIn.createClient().signInWithOtp({ email: `  ${email.toUpperCase()} ` });
    const { token } = await signIn.readMail(email);
    const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    expect(data.user?.email).toBe(email);
  });

  test('opened at /verify redirects with the session in the fragment', async () => {
    const { token } = await signIn.requestMail(createEmail());
    const query = new URLSearchParams({ token, type: 'magiclink', redirect_to: CALLBACK });
    const response = await signIn.call(`/verify?${query}`);
    expect(response.status).toBe(303);
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.href.split('#')[0]).toBe(CALLBACK);
    const fragment = new URLSearchParams(target.hash.slice(1));
    expect([...fragment.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
      'type',
    ]);
    const { data, error } = await signIn.createClient().setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    });
    expect(error).toBeNull();
    expect(data.session?.user.aud).toBe('authenticated');
    const again = new URL((await signIn.call(`/verify?${query}`)).headers.get('location') ?? '');
    expect(again.hash).toContain('error=access_denied&error_code=otp_expired');
  });

  test.each([
    ['Purpose', 'prefetch;prerender'],
    ['Sec-Purpose', 'prefetch;prerender'],
    ['Sec-Fetch-Dest', 'image'],
    ['Sec-Fetch-Dest', 'iframe'],
    ['Sec-Fetch-Dest', 'empty'],
  ])(
    'is not spent by a browser that fetches ahead, or for a part of a page (%s: %s)',
    async (header, value) => {
      const { token } = await signIn.requestMail(createEmail());
      const path = `/verify?${new URLSearchParams({ token, type: 'magiclink' })}`;
      const ahead = await signIn.call(path, { headers: { [header]: value } });
      expect(ahead.status).toBe(403);
      const head = await signIn.call(path, { method: 'HEAD' });
      expect(head.status).toBe(405);
      const { error } = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
      expect(error).toBeNull();
    },
  );

  test('redirects only to the portal', async () => {
    for (const evil of [
      'https://evil.example',
      '//evil.example',
      'https://portal.example.org.evil.example/',
    ]) {
      const mail = await signIn.requestMail(createEmail(), evil);
      expect(mail.redirect_to).toBe(`${PUBLIC_URL}/`);
      const query = new URLSearchParams({ token: mail.token, type: 'magiclink', redirect_to: evil });
      const response = await signIn.call(`/verify?${query}`, {
        headers: { redirect_to: evil, referer: evil },
      });
      expect(new URL(response.headers.get('location') ?? '').origin).toBe(PUBLIC_URL);
    }
  });
});

describe('the mailed code', () => {
  test('signs in, and invalidates the link', async () => {
    const email = createEmail();
    const { code, token } = await signIn.requestMail(email);
    const { data, error } = await signIn.createClient().verifyOtp({ type: 'email', email, token: code });
    expect(error).toBeNull();
    expect(data.user?.email).toBe(email);
    const link = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    expect(link.error?.code).toBe('otp_expired');
  });

  test('is invalid after the link was used', async () => {
    const email = createEmail();
    const { code, token } = await signIn.requestMail(email);
    await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    const { error } = await signIn.createClient().verifyOtp({ type: 'email', email, token: code });
    expect(error).toMatchObject({ status: 403, code: 'otp_expired' });
  });

  test('is refused for another address', async () => {
    const [mine, theirs] = [createEmail(), createEmail()];
    const { code } = await signIn.requestMail(mine);
    await signIn.requestMail(theirs);
    const { error } = await signIn.createClient().verifyOtp({ type: 'email', email: theirs, token: code });
    expect(error?.code).toBe('otp_expired');
  });

  test('is refused after five wrong tries, while the link still works', async () => {
    const email = createEmail();
    const { code, token } = await signIn.requestMail(email);
    for (const wrong of listWrongCodes(code, 5)) {
      const { error } = await signIn.createClient().verifyOtp({ type: 'email', email, token: wrong });
      expect(error).toMatchObject({ status: 403, code: 'otp_expired' });
    }
    const right = await signIn.createClient().verifyOtp({ type: 'email', email, token: code });
    expect(right.error?.code).toBe('otp_expired');
    const link = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    expect(link.error).toBeNull();
  });

  test('still works at the fifth try', async () => {
    const email = createEmail();
    const { code } = await signIn.requestMail(email);
    for (const wrong of listWrongCodes(code, 4)) {
      await signIn.createClient().verifyOtp({ type: 'email', email, token: wrong });
    }
    const { error } = await signIn.createClient().verifyOtp({ type: 'email', email, token: code });
    expect(error).toBeNull();
  });

  test('is refused for a day after twenty wrong codes for several mails', async () => {
    const email = createEmail();
    for (let mails = 0; mails < 4; mails += 1) {
      await requestNextMail(email, mails + 1);
      const { code } = await signIn.readMail(email);
      for (const wrong of listWrongCodes(code, 5)) {
        await signIn.createClient().verifyOtp({ type: 'email', email, token: wrong });
      }
    }
    await requestNextMail(email, 5);
    const fifth = await signIn.readMail(email);
    const refused = await signIn.createClient().verifyOtp({ type: 'email', email, token: fifth.code });
    expect(refused.error?.code).toBe('otp_expired');
    signIn.clock.advance(86_400);
    await requestNextMail(email, 6);
    const sixth = await signIn.readMail(email);
    const taken = await signIn.createClient().verifyOtp({ type: 'email', email, token: sixth.code });
    expect(taken.error).toBeNull();
  });
});

describe('requesting a mail', () => {
  test('gets the same response for known and unknown addresses, and with create_user false mails only known ones', async () => {
    const known = createEmail();
    const { token } = await signIn.requestMail(known);
    await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    signIn.clock.advance(60);
    const unknown = createEmail();
    const options = { shouldCreateUser: false };
    const answers = [
      await signIn.createClient().signInWithOtp({ email: unknown, options }),
      await signIn.createClient().signInWithOtp({ email: known, options }),
    ];
    expect(answers.map((answer) => answer.error)).toEqual([null, null]);
    await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === known).length).toBe(2);
    await expect.poll(async () => (await db.query('select 1 from auth_mail')).rows.length).toBe(0);
    expect(signIn.outbox.list().some((mail) => mail.to === unknown)).toBe(false);
  });

  test('for a known or an unknown address makes a wrong code run the same statements', async () => {
    const statements: string[] = [];
    const watched = await openTestSignIn(watchStatements(db, statements), {
      clock: signIn.clock,
      outbox: signIn.outbox,
    });
    const [known, unknown] = [createEmail(), createEmail()];
    const { token } = await watched.requestMail(known);
    await watched.createClient().verifyOtp({ type: 'email', token_hash: token });
    signIn.clock.advance(60);
    for (const email of [known, unknown]) {
      await watched.call('/otp', { body: { email, create_user: false } });
    }
    await expect.poll(async () => (await db.query('select 1 from job')).rows.length).toBe(0);
    const costs: string[][] = [];
    for (const email of [known, unknown]) {
      statements.length = 0;
      for (let guess = 0; guess < 6; guess += 1) {
        const { status } = await watched.call('/verify', { body: { type: 'email', email, token: 'wrong' } });
        expect(status).toBe(403);
      }
      costs.push(statements.filter((text) => !/\bjob\b/.test(text)));
    }
    expect(costs[0]?.length).toBeGreaterThan(6);
    expect(costs[1]).toEqual(costs[0]);
    await watched.close();
  });

  test('with create_user false replaces an unused first link by a new mailed link', async () => {
    const email = createEmail();
    await signIn.requestMail(email);
    signIn.clock.advance(60);
    await signIn.call('/otp', { body: { email, create_user: false } });
    await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(2);
    const { token } = await signIn.readMail(email);
    const { error } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    expect(error).toBeNull();
  });

  test('does not set metadata of the account', async () => {
    const email = createEmail();
    await signIn.createClient().signInWithOtp({ email, options: { data: { name: 'Mallory' } } });
    const { token } = await signIn.readMail(email);
    const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    expect(data.user?.user_metadata).not.toHaveProperty('name');
  });

  test('again within 60 seconds is refused with the seconds left (A-76)', async () => {
    const email = createEmail();
    await signIn.requestMail(email);
    signIn.clock.advance(17.5);
    const { error } = await signIn.createClient().signInWithOtp({ email });
    expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
    expect(error?.message).toBe('For security purposes, you can only request this after 43 seconds.');
    signIn.clock.advance(42.5);
    expect((await signIn.createClient().signInWithOtp({ email })).error).toBeNull();
  });

  test('leaves no usable token in the database', async () => {
    const email = createEmail();
    const { token, code } = await signIn.requestMail(email);
    const { rows } = await db.query('select * from auth_one_time_token where email = $1', [email]);
    const stored = JSON.stringify(rows);
    expect(stored).toContain(email);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(code);
  });
});

/**
 * Returns `database` with a log of statements. Each statement adds an entry to `texts`, with the number of rows
 * returned or changed.
 */
function watchStatements(database: Database, texts: string[]): Database {
  const watch = (inner: Db): Db => ({
    ...inner,
    query: async (text, params) => {
      const result = await inner.query(text, params);
      texts.push(`${result.rowCount} ${text}`);
      return result as never;
    },
  });
  return {
    ...database,
    ...watch(database),
    transaction: (work) => database.transaction((tx) => work(watch(tx))),
  };
}

async function requestNextMail(email: string, count: number): Promise<void> {
  signIn.clock.advance(60);
  await signIn.createClient().signInWithOtp({ email });
  await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(count);
}

function listWrongCodes(code: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String((Number(code) + index + 1) % 1_000_000).padStart(6, '0'),
  );
}
