// Tests the mails that tell people about new benefits (R-INV-01 to R-INV-03, N-31). Uses a real SMTP server.
import { randomUUID } from 'node:crypto';
import type { Product, ReadyMails } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { addProduct, utcDayOf } from '../../../test/factories.ts';
import { keepPeople } from '../../../test/keep-people.ts';

const { portal, smtp, send, post, listActs, readMail, readRaw, addPerson, tryAgain } = keepPeople();

const newEmail = () => `${randomUUID()}@learner.example`;
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to === email);
const dayFromNow = (days: number) => utcDayOf(new Date(Date.now() + days * 86_400_000));
const idOf = async (email: string) =>
  (await portal.db.query<{ id: string }>('select id from app_user where email = $1', [email])).rows[0]?.id ??
  '';
const idsOf = async (email: string) =>
  (await portal.db.query<{ user_id: string }>('select user_id from app_user where email = $1', [email]))
    .rows[0]?.user_id ?? '';

const nameIn = (product: Product) => product.name;
async function upload(
  emails: readonly string[],
  products: readonly Product[],
  more: object = { tell: true },
) {
  const csvData = `email,name\n${emails.map((email) => `${email},Ada`).join('\n')}\n`;
  const product_ids = products.map(({ product_id }) => product_id);
  const { body } = await post('/users/bulk', { csvData, product_ids, ...more }, 'manager');
  return String(body.import_id);
}
const stateOf = async (import_id: string) =>
  (await send('GET', `/imports/${import_id}`, undefined, 'manager')).body.mails as ReadyMails | undefined;

/** Returns the minutes until the person's mail is due, rounded; null if no mail waits. */
async function minutesOf(email: string): Promise<number | null> {
  const { rows } = await portal.db.query<{ minutes: number }>(
    `select round(extract(epoch from due_at - now()) / 60)::int as minutes from job
     where kind = 'ready-mail' and data ->> 'about' = $1 and state = 'waiting'`,
    [email],
  );
  return rows[0]?.minutes ?? null;
}
async function sendAll(email: string, count: number): Promise<void> {
  await tryAgain();
  await expect.poll(() => mailsTo(email)).toHaveLength(count);
  await expect
    .poll(
      async () =>
        (await portal.db.query("select 1 from job where kind = 'ready-mail' and state = 'running'")).rows,
    )
    .toEqual([]);
}
/** Returns true once the person's mail has its notices. */
async function isSending(email: string): Promise<boolean> {
  const { rows } = await portal.db.query(
    'select 1 from ready_notice where user_id = $1 and mail_id is not null',
    [await idOf(email)],
  );
  return rows.length > 0;
}
/** Changes the time of the person's last mail to a day ago. */
const passDay = async (email: string) =>
  portal.db.query(
    `update ready_notice set ended_at = ended_at - interval '25 hours' where user_id = $1 and ended_at is not null`,
    [await idOf(email)],
  );

describe('R-INV-01: whoever gets a product is told', () => {
  test('ten minutes after the upload, by one mail with the names, without code and token', async () => {
    const [velloquy, tarnquill] = [
      await addProduct(portal.db, { name: 'Velloquy & Co' }),
      await addProduct(portal.db, { name: 'Tarnquill' }),
    ];
    const email = newEmail();
    const import_id = await upload([email], [velloquy, tarnquill]);
    expect(await minutesOf(email)).toBe(10);
    expect(mailsTo(email)).toEqual([]);
    expect(await stateOf(import_id)).toEqual({ queued: 1, sent: 0, failed: 0, cancelled: 0, refused: [] });
    expect(await readMail(await idsOf(email))).toMatchObject({
      queued: [{ kind: 'ready', state: 'queued', by: 'manager@example.org' }],
    });

    await sendAll(email, 1);
    const raw = readRaw(email);
    expect(raw).toContain('Subject: Your benefits are ready');
    expect(raw).toContain('Hello Ada,');
    expect(raw).toContain('- Tarnquill\r\n- Velloquy & Co');
    expect(raw).toContain('<li>Velloquy &amp; Co</li>');
    expect(raw).toContain(`/?email=3D${encodeURIComponent(email)}`);
    expect(raw).not.toMatch(/token|List-Unsubscribe/i);
    await expect
      .poll(() => stateOf(import_id))
      .toEqual({ queued: 0, sent: 1, failed: 0, cancelled: 0, refused: [] });
    expect(await listActs(await idOf(email), 'mail')).toEqual([
      'mail.queue manager@example.org',
      'mail.send portal',
    ]);
  });

  test('R-DAY-40: the mails of an upload are part of its one entry in the log', async () => {
    const product = await addProduct(portal.db, { name: 'Grouped' });
    const emails = [newEmail(), newEmail()];
    const import_id = await upload(emails, [product]);
    for (const email of emails) await sendAll(email, 1);
    const { rows } = await portal.db.query(
      `select action, count(*)::int as count from audit where group_id = $1 and action like 'mail.%' group by action order by action`,
      [import_id],
    );
    expect(rows).toEqual([
      { action: 'mail.queue', count: 2 },
      { action: 'mail.send', count: 2 },
    ]);
  });

  test('also by the form of one person, and by joining a cohort; not without the tick', async () => {
    const product = await addProduct(portal.db, { name: 'Lumifern' });
    const form = newEmail();
    const person = { email: form, name: null, product_ids: [product.product_id] };
    expect((await post('/users/single', { ...person, name: 'Bo' }, 'manager')).status).toBe(200);
    expect(await minutesOf(form)).toBeNull();
    const other = newEmail();
    await post('/users/single', { ...person, email: other, name: 'Bo', tell: true }, 'manager');
    expect(await minutesOf(other)).toBe(10);

    const cohort = await post(
      '/cohorts',
      { name: randomUUID(), note: null, product_ids: [product.product_id] },
      'manager',
    );
    const member = newEmail();
    await upload([member, form], [], { cohort_id: cohort.body.cohort_id, tell: true });
    expect(await minutesOf(member)).toBe(10);
    // This person has the product already.
    expect(await minutesOf(form)).toBeNull();
    await sendAll(member, 1);
    expect(readRaw(member)).toContain('- Lumifern');
  });

  test('with payment_id, all products are named', async () => {
    const email = newEmail();
    const product = await addProduct(portal.db, { name: `Paid ${randomUUID()}` });
    const csvData = `email,name,payment_id\n${email},Ada,P-1\n`;
    await post('/users/bulk', { csvData, product_ids: [product.product_id], tell: true }, 'manager');
    await sendAll(email, 1);
    const { rows } = await portal.db.query<{ name: string }>(
      'select name from product where archived_at is null',
    );
    for (const { name } of rows) expect(readRaw(email)).toContain(`- ${name}`);
  });

  test('only people who did not have one of the products; archived ones are not named', async () => {
    const { email: has, product } = await addPerson();
    const more = await addProduct(portal.db, { name: 'Merrowcode' });
    const import_id = await upload([has], [product]);
    expect(await minutesOf(has)).toBeNull();
    expect(await stateOf(import_id)).toBeUndefined();
    await upload([has], [product, more]);
    await portal.db.query(
      "update product set archived_at = now(), archived_by = 'staff' where product_id = $1",
      [more.product_id],
    );
    await tryAgain();
    await expect.poll(() => minutesOf(has)).toBeNull();
    expect(mailsTo(has)).toEqual([]);
  });

  test('R-INV-01: access that begins later is told on its first day', async () => {
    const [now, later] = [
      await addProduct(portal.db, { name: 'Now' }),
      await addProduct(portal.db, { name: 'Later' }),
    ];
    const email = newEmail();
    const import_id = await upload([email], [later], { tell: true, starts_on: dayFromNow(20) });
    expect(await minutesOf(email)).toBeGreaterThan(19 * 24 * 60);
    await upload([email], [now]);
    await sendAll(email, 1);
    expect(readRaw(email)).toContain('- Now');
    expect(readRaw(email)).not.toContain('- Later');
    expect(await stateOf(import_id)).toMatchObject({ queued: 1 });
    await passDay(email);
    await portal.db.query("update ready_notice set due_on = current_date where state = 'queued'");
    await portal.db.query('update access_grant set starts_on = current_date where product_id = $1', [
      later.product_id,
    ]);
    await upload([email], [await addProduct(portal.db, { name: 'Third' })]);
    await sendAll(email, 2);
    expect(readRaw(email)).toContain('- Later\r\n- Third');
  });
});

describe('R-INV-02, N-31: at most one mail in 24 hours', () => {
  test('uploads of one morning make one mail with all products', async () => {
    const products = [
      await addProduct(portal.db, { name: 'One' }),
      await addProduct(portal.db, { name: 'Two' }),
    ];
    const email = newEmail();
    const imports = [await upload([email], products.slice(0, 1)), await upload([email], products.slice(1))];
    await sendAll(email, 1);
    expect(readRaw(email)).toContain('- One\r\n- Two');
    for (const import_id of imports)
      await expect.poll(() => stateOf(import_id)).toMatchObject({ queued: 0, sent: 1 });
  });

  test('what is given after a mail waits until a day after it, and is told then together', async () => {
    const products: Product[] = [];
    for (const name of ['First', 'Second', 'Third']) products.push(await addProduct(portal.db, { name }));
    const email = newEmail();
    await upload([email], products.slice(0, 1));
    await sendAll(email, 1);
    await expect
      .poll(async () => (await stateOf(await upload([email], products.slice(1, 2))))?.queued)
      .toBe(1);
    expect(await minutesOf(email)).toBeGreaterThan(24 * 60 - 5);
    await upload([email], products.slice(2));
    // The job may run too early, for example because staff retry failed mails. It then sends nothing either.
    await tryAgain();
    await expect.poll(() => minutesOf(email)).toBeGreaterThan(24 * 60 - 5);
    expect(mailsTo(email)).toHaveLength(1);
    await passDay(email);
    await sendAll(email, 2);
    expect(readRaw(email)).toContain('- Second\r\n- Third');
    expect(readRaw(email)).not.toContain('- First');
  });

  test('what is given while a mail is being sent is told a day later', async () => {
    const [first, second] = [
      await addProduct(portal.db, { name: 'Before' }),
      await addProduct(portal.db, { name: 'Meanwhile' }),
    ];
    const email = newEmail();
    await upload([email], [first]);
    const release = smtp.hold();
    await tryAgain();
    await expect.poll(() => isSending(email)).toBe(true);
    const import_id = await upload([email], [second]);
    release();
    await sendAll(email, 1);
    expect(readRaw(email)).not.toContain('- Meanwhile');
    expect(await stateOf(import_id)).toMatchObject({ queued: 1 });
    // The mail that follows finds that one was sent today, and waits.
    await tryAgain();
    await expect.poll(() => minutesOf(email)).toBeGreaterThan(24 * 60 - 5);
    await passDay(email);
    await sendAll(email, 2);
    expect(readRaw(email)).toContain('- Meanwhile');
  });
});

describe('R-INV-03: what became of the mails', () => {
  test('a refused mail is counted and named, and marks the person', async () => {
    const product = await addProduct(portal.db, { name: nameIn({ name: 'Quernbase' } as Product) });
    const [good, bad] = [newEmail(), newEmail()];
    smtp.answers.set(bad, { code: 550, words: '5.1.1 No such user' });
    const import_id = await upload([good, bad], [product]);
    await sendAll(good, 1);
    await expect
      .poll(() => stateOf(import_id))
      .toEqual({
        queued: 0,
        sent: 1,
        failed: 1,
        cancelled: 0,
        refused: [{ email: bad, words: '550 5.1.1 No such user' }],
      });
    expect(await readMail(await idsOf(bad))).toMatchObject({ refused_at: expect.any(String) });
  });

  test('a stopped upload takes its unsent mails along', async () => {
    const product = await addProduct(portal.db, { name: 'Stopped' });
    const email = newEmail();
    const import_id = await upload([email], [product]);
    await portal.db.query("update bulk_job set state = 'running', source = '' where id = $1", [import_id]);
    await post(`/imports/${import_id}/cancel`, {}, 'manager');
    expect(await stateOf(import_id)).toMatchObject({ queued: 0, cancelled: 1 });
    await tryAgain();
    await expect.poll(() => minutesOf(email)).toBeNull();
    expect(mailsTo(email)).toEqual([]);
  });

  test('so does one that is taken back', async () => {
    const product = await addProduct(portal.db, { name: 'Back' });
    const email = newEmail();
    const import_id = await upload([email], [product]);
    const mail = async () => readMail(await idsOf(email));
    expect(await mail()).toMatchObject({ queued: [{ kind: 'ready' }] });
    // A mail that is due on a later day is not cancelled.
    const later = await addProduct(portal.db, { name: 'Not back' });
    await upload([email], [later], { tell: true, starts_on: dayFromNow(20) });
    await post(`/imports/${import_id}/undo`, { expected: 1 }, 'manager');
    expect(await stateOf(import_id)).toMatchObject({ queued: 0, cancelled: 1 });
    // The person's record shows this at once, although the job of the mail ends only when the mail is due.
    const words = 'The email was not sent: it was cancelled, or a newer email took its place.';
    const { queued, recent } = await mail();
    expect(queued).toHaveLength(1);
    expect(recent).toMatchObject([{ state: 'queued' }, { kind: 'ready', state: 'failed', words }]);
    await upload([email], [product]);
    expect((await mail()).queued).toHaveLength(2);
  });

  test('a new address ends the mail to the old one', async () => {
    const product = await addProduct(portal.db, { name: 'Moved' });
    const email = newEmail();
    const import_id = await upload([email], [product]);
    const edit = { email: newEmail(), name: 'Ada', phone_number: null };
    expect((await post(`/people/${await idsOf(email)}/edit`, edit, 'manager')).status).toBe(200);
    expect(await stateOf(import_id)).toMatchObject({ queued: 0, cancelled: 1 });
    expect(await minutesOf(email)).toBeNull();
  });

  test('access given to the new address while the mail to the old one is being sent is told at the new address', async () => {
    const [first, second] = [
      await addProduct(portal.db, { name: 'Old' }),
      await addProduct(portal.db, { name: 'New' }),
    ];
    const [email, moved] = [newEmail(), newEmail()];
    await upload([email], [first]);
    const release = smtp.hold();
    await tryAgain();
    await expect.poll(() => isSending(email)).toBe(true);
    const edit = { email: moved, name: 'Ada', phone_number: null };
    expect((await post(`/people/${await idsOf(email)}/edit`, edit, 'manager')).status).toBe(200);
    await upload([moved], [second]);
    release();
    await expect.poll(() => mailsTo(email)).toHaveLength(1);
    await expect.poll(() => minutesOf(moved)).not.toBeNull();
    expect(await minutesOf(email)).toBeNull();
    await passDay(moved);
    await sendAll(moved, 1);
    expect(readRaw(moved)).toContain('- New');
  });
});

test('R-INV-01: tell must be true or false', async () => {
  const body = { email: newEmail(), name: 'A', product_ids: [randomUUID()], tell: 'yes' };
  expect(await post('/users/single', body, 'manager')).toMatchObject({
    status: 400,
    body: { message: 'tell must be true or false' },
  });
});
