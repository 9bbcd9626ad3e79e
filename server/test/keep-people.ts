// Starts a portal with a real SMTP server, for tests of the calls about one person.
import { randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { findUser } from '../src/features/people/people.sql.ts';
import { type Mailer, openSmtpMailer } from '../src/gateways/mailer.ts';
import { addLearner, addProduct } from './factories.ts';
import { type AnsweringSmtp, openAnsweringSmtp } from './open-answering-smtp.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

export type Body = Record<string, unknown>;
/** `id` is app_user.id, `user_id` the public id. The person has access to `product`. */
export type TestPerson = { email: string; product: Product; id: string; user_id: string };

/**
 * Registers hooks that start the portal before the first test and close it after the last. Mails to addresses of
 * learner.example go through SMTP; all others, such as the sign-in mails of the team, go to the outbox.
 */
export function keepPeople() {
  const portal = {} as TestApp;
  const smtp = {} as AnsweringSmtp;
  const tokens: Record<string, string> = {};
  let mailer: Mailer;

  beforeAll(async () => {
    Object.assign(smtp, await openAnsweringSmtp());
    mailer = openSmtpMailer({ url: smtp.url, from: 'Portal <portal@example.org>' });
    const choose = (outbox: Mailer): Mailer => ({
      ...mailer,
      send: (mail, signal) =>
        mail.to.endsWith('@learner.example') ? mailer.send(mail, signal) : outbox.send(mail, signal),
    });
    Object.assign(portal, await openTestApp({ mailer: choose, mailIntervalSeconds: 60 }));
    for (const role of ['owner', 'manager', 'support'] as const)
      tokens[role] = await portal.signInAdmin(`${role}@example.org`, role);
    // With a second owner, most tests need not respect the rule about the last owner.
    await portal.signInAdmin('owner2@example.org', 'owner');
  });
  afterAll(async () => {
    await portal.close?.();
    await mailer?.close();
    await smtp.close?.();
  });
  beforeEach(() => smtp.answers.clear());

  /** Sends a request as a member of the team, by default as support. `path` follows /api/admin. */
  async function send(method: 'GET' | 'POST', path: string, body?: Body, role = 'support') {
    const { status, body: reply } = await portal.call(method, `/api/admin${path}`, {
      token: tokens[role] ?? '',
      ...(body && { body }),
    });
    return { status, body: reply as Body };
  }
  const post = (path: string, body?: Body, role?: string) => send('POST', path, body, role);

  /** Returns the audit lines of a person (app_user.id) about `noun`, such as 'mail', oldest first. */
  async function listLines(id: string, noun: string) {
    const { rows } = await portal.db.query<{ action: string; actor: string; detail: Body }>(
      "select action, actor, detail from audit where user_id = $1 and split_part(action, '.', 1) = $2 order by id",
      [id, noun],
    );
    return rows;
  }

  return {
    portal,
    smtp,
    tokens,
    send,
    post,
    listLines,
    /** Returns action and actor of the same lines. */
    listActs: async (id: string, noun: string) =>
      (await listLines(id, noun)).map(({ action, actor }) => `${action} ${actor}`),
    /** Returns the field `mail` of the person's record. */
    readMail: async (user_id: string) => (await send('GET', `/people/${user_id}`)).body.mail as Body,
    /** Returns the newest mail that the SMTP server accepted for the address, without the line breaks of its encoding. */
    readRaw: (email: string) =>
      smtp.mails.findLast(({ to }) => to === email)?.raw.replaceAll(/=\r\n/g, '') ?? '',
    addPerson: async (codes: string[] = []): Promise<TestPerson> => {
      const email = `${randomUUID()}@learner.example`;
      const product = await addProduct(portal.db, { name: `Quernbase ${randomUUID()}`, codes });
      await addLearner(portal.db, [product], email);
      const user = await findUser(portal.db, email);
      if (user === null) throw new Error('no user');
      return { email, product, id: user.id, user_id: user.user_id };
    },
    /** Gives the person a code, as support. Returns its id. */
    giveCode: async ({ email, product }: TestPerson): Promise<string> => {
      await post('/generate-coupon', { email, productId: product.product_id });
      const { rows } = await portal.db.query<{ id: string }>(
        'select c.id from coupon c join app_user u on u.id = c.holder where u.email = $1 and is_current',
        [email],
      );
      return rows[0]?.id ?? '';
    },
    /** Makes all waiting mails due, and lets the worker send them. */
    tryAgain: async () => {
      await portal.db.query(
        "update job set due_at = now() - interval '1 minute' where lane = 'mail' and state = 'waiting'",
      );
      portal.wakeMails();
    },
  };
}
