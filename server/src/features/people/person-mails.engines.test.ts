// Tests the mails that staff let the portal send to a person, and the states of mails that the portal shows. Uses a
// real SMTP server.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Body, keepPeople } from '../../../test/keep-people.ts';

const { portal, smtp, tokens, post, listLines, listActs, readMail, readRaw, addPerson, giveCode, tryAgain } =
  keepPeople();
const anyId = { id: expect.any(String) };

describe('R-TRAIL-33: the sign-in mail', () => {
  test('is sent, names who asked for it, and respects the interval of A-76', async () => {
    const person = await addPerson();
    expect(await post(`/people/${person.user_id}/sign-in-mail`)).toEqual({
      status: 200,
      body: { message: 'Sign-in mail queued' },
    });
    expect(await post(`/people/${person.user_id}/sign-in-mail`)).toMatchObject({
      status: 429,
      body: {
        code: 'too_many_requests',
        message: expect.stringMatching(/Please wait (60|59) seconds/),
        retry_after: expect.any(Number),
      },
    });
    await expect.poll(() => smtp.mails.filter(({ to }) => to === person.email)).toHaveLength(1);
    await expect
      .poll(() => listLines(person.id, 'mail'))
      .toEqual([
        {
          action: 'mail.queue',
          actor: 'support@example.org',
          detail: { kind: 'sign-in', ...anyId },
        },
        {
          action: 'mail.send',
          actor: 'portal',
          detail: { kind: 'sign-in', ...anyId, words: '250 OK: queued as 4Fx1', attempts: 1 },
        },
      ]);
    expect(await readMail(person.user_id)).toMatchObject({
      queued: [],
      recent: [
        { kind: 'sign-in', state: 'sent', by: 'support@example.org', words: '250 OK: queued as 4Fx1' },
      ],
    });
    expect((await post(`/people/${randomUUID()}/sign-in-mail`)).status).toBe(404);
  });

  test('R-TRAIL-30: to an unknown address leaves nothing in the log', async () => {
    const before = await portal.db.query('select count(*) from audit');
    const email = `${randomUUID()}@learner.example`;
    await portal.call('POST', '/auth/v1/otp', { body: { email } });
    await expect.poll(() => smtp.mails.some(({ to }) => to === email)).toBe(true);
    await expect
      .poll(async () => (await portal.db.query("select 1 from job where kind = 'sign-in-mail'")).rows)
      .toEqual([]);
    expect(await portal.db.query('select count(*) from audit')).toEqual(before);
  });

  test('that the learner asked for writes mail.send only', async () => {
    const person = await addPerson();
    await portal.call('POST', '/auth/v1/otp', { body: { email: person.email } });
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.send portal']);
  });

  test('no line of the log holds the link or the code of a mail, also if the mail server repeats them', async () => {
    const person = await addPerson();
    await portal.call('POST', '/auth/v1/otp', { body: { email: person.email } });
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.send portal']);
    const raw = readRaw(person.email);
    const token = /token_hash=3D([\w-]{20,})/.exec(raw)?.[1] ?? '';
    expect(token).not.toBe('');
    const other = await addPerson();
    const words = `5.6.0 listed: https://portal.example/?token_hash=${token} for <${other.email}>`;
    smtp.answers.set(other.email, { code: 550, words });
    await portal.call('POST', '/auth/v1/otp', { body: { email: other.email } });
    await expect.poll(() => listActs(other.id, 'mail')).toEqual(['mail.fail portal']);
    const { rows } = await portal.db.query<{ row: string }>(
      "select a::text as row from audit a where action like 'mail.%' union all select j::text from job j where lane = 'mail'",
    );
    const everything = rows.map(({ row }) => row).join('\n');
    expect(everything).not.toContain(token);
    expect((await listLines(other.id, 'mail'))[0]?.detail.words).toBe('550 5.6.0 listed: … for <…>');
  });
});

describe('R-TRAIL-31, R-TRAIL-32: what became of a mail', () => {
  const ask = (email: string) => portal.call('POST', '/auth/v1/otp', { body: { email } });

  test('450: it stays queued with the words of the mail server, and one mail.retry is written', async () => {
    const person = await addPerson();
    smtp.answers.set(person.email, { code: 450, words: '4.2.0 Greylisted' });
    await ask(person.email);
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.retry portal']);
    for (const tries of [2, 3]) {
      await tryAgain();
      await expect
        .poll(
          async () =>
            (
              await portal.db.query('select tries from job where key = $1 and state = $2', [
                person.email,
                'waiting',
              ])
            ).rows,
        )
        .toEqual([{ tries }]);
    }
    const queued = { kind: 'sign-in', state: 'queued', words: '450 4.2.0 Greylisted' };
    expect(await readMail(person.user_id)).toMatchObject({
      refused_at: null,
      queued: [queued],
      recent: [queued],
    });
    expect(await listActs(person.id, 'mail')).toEqual(['mail.retry portal']);
    smtp.answers.clear();
    await tryAgain();
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.retry portal', 'mail.send portal']);
    expect(await readMail(person.user_id)).toMatchObject({ queued: [], recent: [{ state: 'sent' }] });
    expect((await listLines(person.id, 'mail'))[1]?.detail.attempts).toBe(4);
  });

  test('550: it has failed, the address is refused, and a sign-in by mail clears that', async () => {
    const person = await addPerson();
    smtp.answers.set(person.email, { code: 550, words: '5.2.1 This mailbox is disabled' });
    await ask(person.email);
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.fail portal']);
    const words = '550 5.2.1 This mailbox is disabled';
    expect(await readMail(person.user_id)).toMatchObject({
      refused_at: expect.any(String),
      reason: words,
      queued: [],
      recent: [{ kind: 'sign-in', state: 'failed', words }],
    });
    // A sign-in mail is still sent to an address that was refused before (N-32).
    smtp.answers.clear();
    await portal.db.query('delete from auth_mail_window');
    await ask(person.email);
    await expect.poll(() => smtp.mails.some(({ to }) => to === person.email)).toBe(true);
    const raw = readRaw(person.email);
    const token_hash = /token_hash=3D([\w-]+)/.exec(raw)?.[1];
    const verified = await portal.call('POST', '/auth/v1/verify', {
      body: { type: 'magiclink', token_hash },
    });
    expect(verified.status).toBe(200);
    expect(await readMail(person.user_id)).toMatchObject({ refused_at: null, reason: null });
  });

  test('a refusal of the sender (5.7.1) does not mark the address', async () => {
    const person = await addPerson();
    smtp.answers.set(person.email, { code: 550, words: '5.7.1 Relaying denied' });
    await ask(person.email);
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.fail portal']);
    expect(await readMail(person.user_id)).toMatchObject({ refused_at: null });
  });

  test('a connection that is cut: it stays queued', async () => {
    const person = await addPerson();
    smtp.answers.set(person.email, 'hang up');
    await ask(person.email);
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.retry portal']);
    expect(await readMail(person.user_id)).toMatchObject({
      queued: [{ state: 'queued', words: expect.any(String) }],
    });
  });

  test('N-26: staff may clear the refusal; the line names who', async () => {
    const person = await addPerson();
    smtp.answers.set(person.email, { code: 550, words: 'unknown' });
    await ask(person.email);
    await expect.poll(() => listActs(person.id, 'mail')).toEqual(['mail.fail portal']);
    for (const _turn of [1, 2]) expect((await post(`/people/${person.user_id}/mail-retry`)).status).toBe(200);
    expect(await readMail(person.user_id)).toMatchObject({ refused_at: null, reason: null });
    expect(await listActs(person.id, 'mail')).toEqual(['mail.fail portal', 'mail.allow support@example.org']);
  });

  test('a mail that came back later is bounced; a mail that was cancelled is not shown as queued', async () => {
    const person = await addPerson();
    const line = (action: string, detail: Body) =>
      portal.db.query(
        "insert into audit (actor, via, action, user_id, detail) values ('portal', 'portal', $1, $2, $3)",
        [action, person.id, JSON.stringify(detail)],
      );
    await line('mail.queue', { kind: 'team', id: '900000001' });
    await line('mail.send', { kind: 'code', id: '900000002', words: '250 OK' });
    await line('mail.bounce', { kind: 'code', id: '900000002', words: 'came back' });
    expect((await readMail(person.user_id)).recent).toMatchObject([
      { kind: 'code', state: 'bounced', words: 'came back' },
      { kind: 'team', state: 'failed' },
    ]);
  });
});

describe('R-TRAIL-34: the mail about a code', () => {
  test('has one link to the product page and no code; a second one within 10 minutes is refused', async () => {
    const person = await addPerson(['TARN-EEEE-0001', 'TARN-EEEE-0002']);
    await giveCode(person);
    const { product_id, name } = person.product;
    const path = `/people/${person.user_id}/code-mail`;
    expect((await post(path, { product_id })).status).toBe(200);
    await expect
      .poll(() => listActs(person.id, 'mail'))
      .toEqual(['mail.queue support@example.org', 'mail.send portal']);
    const raw = readRaw(person.email);
    expect(raw).toContain(`/product/${product_id}`);
    expect(raw).toContain('Your code for Quernbase');
    expect(raw).not.toContain('TARN-EEEE');
    expect(await post(path, { product_id: product_id.toUpperCase() })).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', retry_after: expect.any(Number) },
    });
    expect((await readMail(person.user_id)).recent).toMatchObject([
      { kind: 'code', product: { product_id, name }, state: 'sent', by: 'support@example.org' },
    ]);
    // N-33: the test portal runs with RATE_LIMITS=off, which does not lift the limit per 10 minutes. An older mail
    // does not count.
    await portal.db.execute('alter table audit disable trigger user');
    await portal.db.query("update audit set at = at - interval '11 minutes' where user_id = $1", [person.id]);
    await portal.db.execute('alter table audit enable trigger user');
    expect((await post(path, { product_id })).status).toBe(200);
  });

  test('is refused without a code, and for an unknown person or product', async () => {
    const person = await addPerson(['TARN-FFFF-0001']);
    const { product_id } = person.product;
    const path = `/people/${person.user_id}/code-mail`;
    expect(await post(path, { product_id })).toMatchObject({ status: 409, body: { code: 'not_held' } });
    const id = await giveCode(person);
    await post(`/coupons/${id}/revoke`, { reason: 'refund' }, 'manager');
    expect(await post(path, { product_id })).toMatchObject({ status: 409, body: { code: 'not_held' } });
    for (const unknown of ['x', randomUUID()])
      expect(await post(path, { product_id: unknown })).toMatchObject({
        status: 404,
        body: { code: 'product_not_found' },
      });
    expect((await post(`/people/${randomUUID()}/code-mail`, { product_id })).status).toBe(404);
    expect(await listLines(person.id, 'mail')).toEqual([]);
  });

  test('is in the language of the browser of staff', async () => {
    const person = await addPerson(['TARN-GGGG-0001']);
    await giveCode(person);
    await portal.app.inject({
      method: 'POST',
      url: `/api/admin/people/${person.user_id}/code-mail`,
      headers: { authorization: `Bearer ${tokens.support}`, 'accept-language': 'de' },
      payload: { product_id: person.product.product_id },
    });
    await expect.poll(() => readRaw(person.email)).toMatch(/Ihr[ _]Code/);
  });
});
