// Tests that a newer sign-in mail leaves the links and codes of the last minutes valid.
import { describe, expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail } from '../../test/open-test-sign-in.ts';

const { db, signIn } = keepTestSignIn();

describe('the mailed link', () => {
  test('R-MAP-32: of a mail of the last ten minutes still works after a newer mail, and using one ends the others', async () => {
    const email = createEmail();
    const mails = await requestMails(email, [60, 600]);
    const [first, second] = mails;
    expect((await openMail(first)).error).toBeNull();
    for (const mail of mails) {
      expect((await openMail(mail)).error?.code).toBe('otp_expired');
      expect((await typeCode(email, mail.code)).error?.code).toBe('otp_expired');
    }
    expect(second?.token).not.toBe(first?.token);
  });

  test('R-MAP-32: of a mail that is more than ten minutes old is invalid after a newer mail was sent', async () => {
    const email = createEmail();
    const [older, newer] = await requestMails(email, [60, 600.001]);
    expect((await openMail(older)).error?.code).toBe('otp_expired');
    expect((await openMail(newer)).error).toBeNull();
  });

  test('R-MAP-32: of at most three mails work at the same time, the newest ones', async () => {
    const email = createEmail();
    const mails = await requestMails(email, [60, 60, 60, 60]);
    expect((await openMail(mails[0])).error?.code).toBe('otp_expired');
    expect((await openMail(mails[1])).error).toBeNull();
    expect((await openMail(mails[3])).error?.code).toBe('otp_expired');
  });

  test('R-MAP-32: of the mail that a person asked for still works after staff sent another one', async () => {
    const email = createEmail();
    const own = await signIn.requestMail(email);
    signIn.clock.advance(60);
    await db.transaction((tx) => signIn.service.requestMail(tx, { email, language: 'en' }));
    signIn.jobs.wake('mail');
    await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(2);
    const { token } = await signIn.readMail(email);
    expect((await openMail(own)).error).toBeNull();
    expect((await openMail({ token })).error?.code).toBe('otp_expired');
  });

  test('R-MAP-32: of an earlier mail ends when the operator ends the sessions of its address', async () => {
    const email = createEmail();
    const [earlier] = await requestMails(email, [60, 60]);
    await db.transaction((tx) => signIn.service.endSessions(tx, email));
    expect((await openMail(earlier)).error?.code).toBe('otp_expired');
  });
});

describe('the mailed code', () => {
  test('R-MAP-32: of an earlier mail works too, and a wrong code is a try for each mail that is valid', async () => {
    const email = createEmail();
    const [first] = await requestMails(email, [60]);
    for (const wrong of listWrongCodes(first?.code ?? '', 3)) await typeCode(email, wrong);
    const [second] = await requestMails(email, [60]);
    const codes = [first?.code ?? '', second?.code ?? ''];
    for (const wrong of listWrongCodes(codes[1] ?? '', 3)) await typeCode(email, wrong);
    // Each mail allows five wrong codes. Six were typed while the first mail was valid, and three while the second was
    // valid.
    expect((await typeCode(email, codes[0] ?? '')).error?.code).toBe('otp_expired');
    const { rows } = await db.query('select wrong from auth_wrong_code where email = $1', [email]);
    expect(rows).toEqual([{ wrong: 7 }]);
    expect((await typeCode(email, codes[1] ?? '')).error).toBeNull();
  });

  test('R-MAP-32: of an earlier mail signs in and ends the newer one', async () => {
    const email = createEmail();
    const [earlier, newer] = await requestMails(email, [60, 60]);
    expect((await typeCode(email, earlier?.code ?? '')).error).toBeNull();
    expect((await openMail(newer)).error?.code).toBe('otp_expired');
  });
});

/** Requests a mail after each of the pauses, in seconds, and returns the mails, oldest first. */
async function requestMails(email: string, pauses: readonly number[]) {
  const mails: Awaited<ReturnType<typeof signIn.readMail>>[] = [];
  for (const seconds of pauses) {
    const before = signIn.outbox.list().filter((mail) => mail.to === email).length;
    signIn.clock.advance(seconds);
    await signIn.createClient().signInWithOtp({ email });
    await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(before + 1);
    mails.push(await signIn.readMail(email));
  }
  return mails;
}

function openMail(mail: { token: string } | undefined) {
  return signIn.createClient().verifyOtp({ type: 'email', token_hash: mail?.token ?? '' });
}

function typeCode(email: string, token: string) {
  return signIn.createClient().verifyOtp({ type: 'email', email, token });
}

function listWrongCodes(code: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String((Number(code) + index + 1) % 1_000_000).padStart(6, '0'),
  );
}
