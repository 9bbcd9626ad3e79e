// Tests that a link or code that was used stays used, although the mail with it is tried again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import type { Mail, Mailer } from '../gateways/mailer.ts';
import type { Job } from '../jobs/jobs.sql.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const LINK = /token_hash=([\w-]+)/;
const CODE = /\b\d{6}\b/;

test.each(['link', 'link in a browser', 'code'] as const)(
  'R-MAP-32: a used %s stays used although the mail server took its mail without an answer, and the retry sends nothing',
  async (what) => {
    const sent: Mail[] = [];
    const mailer: Mailer = {
      send: async (mail) => {
        sent.push(mail);
        throw new Error('no answer');
      },
      close: async () => undefined,
    };
    const signIn = await openTestSignIn(db, { mailer });
    const email = createEmail();
    await signIn.call('/otp', { body: { email } });
    const listQueue = async () =>
      (await db.query('select key as email, state, tries from job where key = $1', [email])).rows;
    await expect.poll(listQueue).toEqual([{ email, state: 'waiting', tries: 1 }]);
    const { rows } = await db.query<Job>('select * from job where key = $1', [email]);
    const [mail] = sent;
    const token_hash = LINK.exec(mail?.text ?? '')?.[1] ?? '';
    const token = CODE.exec(mail?.text ?? '')?.[0] ?? '';
    const client = signIn.createClient();
    const openMail = () => client.verifyOtp({ type: 'email', token_hash });
    const typeCode = () => client.verifyOtp({ type: 'email', email, token });
    if (what === 'code') expect((await typeCode()).error).toBeNull();
    else if (what === 'link') expect((await openMail()).error).toBeNull();
    else {
      const opened = await signIn.call(`/verify?type=magiclink&token=${token_hash}`);
      expect(opened.headers.get('location')).toContain('access_token=');
    }
    expect(await listQueue()).toEqual([]);
    // Runs the deleted jobs again, because a worker may have claimed a retry just before the sign-in.
    for (const job of rows) await signIn.jobs.run({ ...job, tries: 2 });
    expect(sent).toHaveLength(1);
    expect((await openMail()).error?.code).toBe('otp_expired');
    expect((await typeCode()).error?.code).toBe('otp_expired');
    await signIn.close();
  },
);
