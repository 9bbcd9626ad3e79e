// Tests the API calls about one person or one code: reading the record, adding notes, editing.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Body, keepPeople } from '../../../test/keep-people.ts';
import { createEmail } from '../../../test/open-test-sign-in.ts';
import { createTestJobs, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { createJobHandlers } from '../../jobs/job-handlers.ts';
import { enqueueJob } from '../../jobs/jobs.sql.ts';
import { findUser } from './people.sql.ts';

const { portal, smtp, send, post, listLines, listActs, readMail, addPerson, giveCode } = keepPeople();

describe('R-TRAIL-06: the record of a person', () => {
  test('has every code that the person ever held, as a hint, and the grants and cohorts', async () => {
    const person = await addPerson(['TARN-AAAA-0001', 'TARN-AAAA-0002', 'TARN-AAAA-0003']);
    const first = await giveCode(person);
    const revoked = await post(`/coupons/${first}/revoke`, { reason: 'partner says used', replace: true });
    expect(revoked.status).toBe(200);
    const cohort = await portal.db.query<{ cohort_id: string }>(
      "insert into cohort (name, created_by) values ('Autumn', 'x') returning cohort_id",
    );
    await portal.db.query('insert into cohort_member (cohort_id, user_id, joined_by) values ($1, $2, $3)', [
      cohort.rows[0]?.cohort_id,
      person.id,
      'x',
    ]);
    const record = (await send('GET', `/people/${person.user_id}`)).body;
    expect(record).toMatchObject({
      user: { email: person.email, user_id: person.user_id, user_role: 'user', team_role: null },
      cohorts: [{ name: 'Autumn', archived: false }],
      grants: [{ product_id: person.product.product_id, state: 'live', via: 'direct' }],
      coupons: [
        { hint: '0002', state: 'held', current: true, assigned_by: 'support@example.org', replaced_at: null },
        {
          id: first,
          product: { product_id: person.product.product_id },
          hint: '0001',
          state: 'revoked',
          current: false,
          replaced_at: expect.any(String),
          revoked_by: 'support@example.org',
          revoke_reason: 'partner says used',
        },
      ],
      mail: { refused_at: null, reason: null, queued: [], recent: [], outbox: true },
      last_sign_in_at: null,
      waiting: [],
    });
    expect(JSON.stringify(record)).not.toContain('TARN-AAAA');
  });

  test('an unknown person is a 404', async () => {
    for (const id of [randomUUID(), '7', 'x'])
      expect(await send('GET', `/people/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'user_not_found' },
      });
  });

  test('the record of a code names product, upload and holder, and never the code', async () => {
    const person = await addPerson(['TARN-BBBB-0001', 'TARN-BBBB-0002']);
    const id = await giveCode(person);
    const { body } = await send('GET', `/coupons/${id}`);
    expect(body).toMatchObject({
      id,
      product: { product_id: person.product.product_id, name: person.product.name },
      hint: '0001',
      state: 'held',
      current: true,
      use_by: null,
      batch: { source: expect.any(String), created_by: expect.any(String) },
      holder: { user_id: person.user_id, email: person.email },
    });
    expect(JSON.stringify(body)).not.toContain('TARN-BBBB');
    for (const unknown of ['0', '999999999', 'x', '9'.repeat(30)])
      expect((await send('GET', `/coupons/${unknown}`)).status).toBe(404);
  });
});

describe('R-TRAIL-07: a note', () => {
  test('is a line of the person, of the product, or of the code with its product and holder', async () => {
    const person = await addPerson(['TARN-CCCC-0001']);
    const coupon_id = await giveCode(person);
    const { product_id } = person.product;
    expect((await post('/notes', { user_id: person.user_id, text: ' Writes from abroad. ' })).status).toBe(
      201,
    );
    expect((await post('/notes', { coupon_id, text: 'Partner asked.' })).status).toBe(201);
    expect((await post('/notes', { product_id, text: 'Contract ends.' })).status).toBe(201);
    const { rows } = await portal.db.query<Body>(
      "select actor, user_id, product_id, coupon_id, detail from audit where action = 'note.add' and $1::text is not null order by id desc limit 3",
      ['x'],
    );
    expect(rows.reverse()).toEqual(
      [
        { user_id: person.id, detail: { text: 'Writes from abroad.' } },
        { user_id: person.id, product_id, coupon_id, detail: { text: 'Partner asked.' } },
        { product_id, detail: { text: 'Contract ends.' } },
      ].map((line) => ({
        actor: 'support@example.org',
        user_id: null,
        product_id: null,
        coupon_id: null,
        ...line,
      })),
    );
  });

  test('that is sent several times with one id is one line', async () => {
    const { id, user_id } = await addPerson();
    const note = { id: randomUUID(), user_id, text: 'Called.' };
    const replies = await Promise.all([1, 2, 3, 4].map(() => post('/notes', note)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await listActs(id, 'note')).toEqual(['note.add support@example.org']);
    expect(await post('/notes', { ...note, text: 'Wrote.' })).toMatchObject({
      status: 409,
      body: { code: 'id_in_use' },
    });
    expect(await listActs(id, 'note')).toHaveLength(1);
    // A call with another id adds the same text again, because staff may want two equal notes.
    await post('/notes', { ...note, id: randomUUID() });
    await post('/notes', { user_id, text: 'Called.' });
    expect(await listActs(id, 'note')).toHaveLength(3);
    expect((await post('/notes', { ...note, id: 'x' })).status).toBe(400);
  });

  test('that is sent again with its id is a new one as soon as the id was purged, a day after it was sent', async () => {
    const { id, user_id } = await addPerson();
    const [old, young] = [randomUUID(), randomUUID()].map((form) => ({ id: form, user_id, text: 'Called.' }));
    for (const note of [old, young]) await post('/notes', note);
    for (const [note, hours] of [
      [old, 25],
      [young, 23],
    ] as const)
      await portal.db.query(
        'update sent_form set sent_at = now() - make_interval(hours => $2) where id = $1',
        [note?.id, hours],
      );
    const { purge } = createJobHandlers({
      db: portal.db,
      now: () => new Date(),
      importTools: TEST_IMPORT_TOOLS,
      sendMail: async () => '250 OK',
      publicUrl: 'http://localhost:3000',
      brand: { name: 'Academy', accent: '#005f44', support_email: '' },
      retention: { importDays: 0, mailDays: 0 },
      purgeExpired: async () => undefined,
    });
    const jobs = createTestJobs(portal.db, { purge });
    await enqueueJob(portal.db, { kind: 'purge', key: randomUUID() }, new Date());
    await jobs.start();
    await expect
      .poll(async () => (await portal.db.query('select from sent_form where id = $1', [old?.id])).rowCount)
      .toBe(0);
    await jobs.close();
    for (const note of [old, young]) expect((await post('/notes', note)).status).toBe(201);
    expect(await listActs(id, 'note')).toHaveLength(3);
  });

  test('N-90: with a code of the portal is refused, and nothing is written', async () => {
    const person = await addPerson(['TARN-DDDD-0001']);
    for (const text of ['TARN-DDDD-0001', 'It was (TARN-DDDD-0001).', 'code:TARN-DDDD-0001']) {
      expect(await post('/notes', { user_id: person.user_id, text })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', message: 'Leave the code out; name its last four characters.' },
      });
    }
    expect(await listLines(person.id, 'note')).toEqual([]);
  });

  test.each([
    ['no subject', { text: 'x' }, 400],
    ['two subjects', { user_id: randomUUID(), coupon_id: '1', text: 'x' }, 400],
    ['no text', { user_id: randomUUID(), text: '  ' }, 400],
    ['a long text', { user_id: randomUUID(), text: 'x'.repeat(2001) }, 400],
    ['an unknown person', { user_id: randomUUID(), text: 'x' }, 404],
    ['an id that is none', { user_id: 'x', text: 'x' }, 404],
    ['an unknown code', { coupon_id: '999999999', text: 'x' }, 404],
    ['an unknown product', { product_id: 'x', text: 'x' }, 404],
  ])('with %s is refused', async (_what, body, status) => {
    expect((await post('/notes', body)).status).toBe(status);
  });
});

describe('R-TRAIL-35: the edit of a person', () => {
  const edit = (user_id: string, body: Body, role = 'manager') => post(`/people/${user_id}/edit`, body, role);
  const fields = { name: 'Jonas', phone_number: null };

  test('takes access and codes to the new address, and ends sessions and unsent mails of the old one', async () => {
    const person = await addPerson(['TARN-HHHH-0001']);
    await giveCode(person);
    smtp.answers.set(person.email, { code: 450, words: 'later' });
    await post(`/people/${person.user_id}/code-mail`, { product_id: person.product.product_id });
    await expect.poll(async () => (await listActs(person.id, 'mail')).at(-1)).toBe('mail.retry portal');
    const auth = await portal.db.query<{ id: string }>(
      'insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at) values ($1, now(), now(), now(), now()) returning id',
      [person.email],
    );
    await portal.db.query(
      "insert into auth_session (user_id, refreshed_at, amr, created_at) values ($1, now(), '[]', now())",
      [auth.rows[0]?.id],
    );
    const email = createEmail();
    expect(await edit(person.user_id, { email: ` ${email.toUpperCase()}`, ...fields })).toMatchObject({
      status: 200,
      body: { user_id: person.user_id, email, name: 'Jonas', phone_number: null },
    });
    const { rows } = await portal.db.query('select 1 from auth_session where user_id = $1', [
      auth.rows[0]?.id,
    ]);
    expect(rows).toEqual([]);
    const record = (await send('GET', `/people/${person.user_id}`)).body;
    expect(record).toMatchObject({
      user: { email },
      grants: [{ state: 'live' }],
      coupons: [{ hint: '0001' }],
      mail: { queued: [], recent: [{ kind: 'code', state: 'failed' }] },
      last_sign_in_at: null,
    });
    expect((await listLines(person.id, 'user')).at(-1)).toMatchObject({
      action: 'user.edit',
      actor: 'manager@example.org',
      detail: { email: [person.email, email], name: ['Amara Okafor', 'Jonas'] },
    });
    expect((await portal.db.query("select 1 from job where kind = 'code-mail'")).rows).toEqual([]);
  });

  test('a mail that is being sent during the edit is not sent again', async () => {
    const person = await addPerson(['TARN-IIII-0001']);
    await giveCode(person);
    const release = smtp.hold();
    await post(`/people/${person.user_id}/code-mail`, { product_id: person.product.product_id });
    await expect
      .poll(async () => (await portal.db.query("select state from job where kind = 'code-mail'")).rows)
      .toEqual([{ state: 'running' }]);
    expect((await edit(person.user_id, { email: createEmail(), ...fields })).status).toBe(200);
    release();
    await expect.poll(() => smtp.mails.filter(({ to }) => to === person.email)).toHaveLength(1);
    expect((await readMail(person.user_id)).queued).toEqual([]);
  });

  test('an address of somebody else is refused with their id, and changes nothing', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    expect(await edit(one.user_id, { email: other.email, ...fields })).toEqual({
      status: 409,
      body: { code: 'duplicate_email', message: 'Somebody else has this address', user_id: other.user_id },
    });
    expect(await listActs(one.id, 'user')).toEqual(['user.create staff@example.org']);
  });

  test('two people who get one address at the same time: one is refused', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const email = createEmail();
    const replies = await Promise.all([one, other].map(({ user_id }) => edit(user_id, { email, ...fields })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = replies.find(({ status }) => status === 200)?.body.user_id;
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ user_id: winner });
  });

  test('an edit that changes nothing writes no line; the name may not be removed', async () => {
    const { user_id, id, email } = await addPerson();
    const same = { email, name: 'Amara Okafor', phone_number: null };
    expect((await edit(user_id, same)).status).toBe(200);
    expect(await listActs(id, 'user')).toEqual(['user.create staff@example.org']);
    expect(await edit(user_id, { ...same, name: '' })).toMatchObject({
      status: 400,
      body: { message: 'name is required' },
    });
    expect(await edit(user_id, { ...same, email: 'x' })).toMatchObject({ status: 400 });
    expect((await edit(randomUUID(), same)).status).toBe(404);
  });

  test('made from an older version is refused, so it cannot undo what somebody else changed meanwhile', async () => {
    const { user_id, id, email, product } = await addPerson();
    const readUser = async () =>
      (await send('GET', `/people/${user_id}`)).body.user as Body & { version: number };
    const { version } = await readUser();
    const opened = { email, name: 'Amara Okafor', phone_number: null, version };
    const right = createEmail();
    const corrected = await edit(user_id, { ...opened, email: right });
    expect(corrected).toMatchObject({ status: 200, body: { email: right, version: version + 1 } });
    expect(await edit(user_id, { ...opened, phone_number: '+49 30 1' })).toEqual({
      status: 409,
      body: {
        code: 'edit_conflict',
        message: 'Somebody else changed this person meanwhile. Reload to see their version.',
      },
    });
    const user = await readUser();
    expect(user).toMatchObject({ email: right, phone_number: null, version: version + 1 });
    // The same call may be repeated, for example because its response was lost.
    expect((await edit(user_id, { ...opened, email: right })).status).toBe(200);
    // Saving a user through the other form also raises the version of the person.
    const known = { email: right, name: 'Amara O.', product_ids: [product.product_id] };
    expect((await post('/users/single', known, 'manager')).status).toBe(200);
    expect((await edit(user_id, { ...user, name: 'Amara' })).body.code).toBe('edit_conflict');
    // Without a version, the call is not checked for conflicts. A new role in the team raises the version too.
    const { version: last } = (await edit(user_id, { email: right, ...fields })).body;
    await portal.db.query("update app_user set user_role = 'admin', team_role = 'viewer' where id = $1", [
      id,
    ]);
    const late = { email: createEmail(), ...fields, version: last };
    expect((await edit(user_id, late, 'owner')).body.code).toBe('edit_conflict');
  });

  test('R-TEAM-43: only an owner changes a member of the team, whose role moves along', async () => {
    await portal.signInAdmin('member@example.org', 'viewer');
    const member = await findUser(portal.db, 'member@example.org');
    const user_id = member?.user_id ?? '';
    expect(await edit(user_id, { email: createEmail(), ...fields })).toMatchObject({
      status: 403,
      body: { code: 'role_too_low' },
    });
    const email = createEmail();
    expect(await edit(user_id, { email, ...fields }, 'owner')).toMatchObject({
      status: 200,
      body: { email, team_role: 'viewer' },
    });
  });

  test('R-TEAM-43: the form for a user gives a member of the team products, and leaves name and phone to owners', async () => {
    const { product } = await addPerson();
    const member = await findUser(portal.db, 'owner2@example.org');
    const typed = { email: 'owner2@example.org', name: 'Mallory', phone_number: '+1 666' };
    const save = (role: string) =>
      post('/users/single', { ...typed, product_ids: [product.product_id] }, role);
    expect(await save('manager')).toMatchObject({
      status: 200,
      body: { user: { name: member?.name, phone_number: null, team_role: 'owner' } },
    });
    expect((await listLines(member?.id ?? '', 'user')).at(-1)).toMatchObject({
      action: 'user.update',
      detail: { granted: [product.product_id] },
    });
    expect((await save('owner')).body.user).toMatchObject({ name: 'Mallory', phone_number: '+1 666' });
  });

  test('N-02: the address of the last owner who counts stays; the refusal is in the log', async () => {
    const target = await findUser(portal.db, 'owner@example.org');
    await portal.db.query(
      "update app_user set user_role = 'user', team_role = null where email = 'owner2@example.org'",
    );
    const reply = await edit(
      target?.user_id ?? '',
      { email: createEmail(), name: 'Olga', phone_number: null },
      'owner',
    );
    expect(reply).toMatchObject({ status: 409, body: { code: 'last_owner' } });
    expect(await listActs(target?.id ?? '', 'team')).toContain('team.refused_last_owner owner@example.org');
    const named = { email: 'owner@example.org', name: 'Olga', phone_number: null };
    expect((await edit(target?.user_id ?? '', named, 'owner')).status).toBe(200);
  });
});

test('a change that is rolled back leaves no line', async () => {
  const person = await addPerson();
  await portal.db.execute(`create function refuse_job() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$;
    create trigger refuse_job before delete on job for each row when (old.kind = 'sign-in-mail') execute function refuse_job()`);
  smtp.answers.set(person.email, { code: 450, words: 'later' });
  await post(`/people/${person.user_id}/sign-in-mail`);
  await expect.poll(async () => (await listActs(person.id, 'mail')).at(-1)).toBe('mail.retry portal');
  const before = [await listActs(person.id, 'mail'), await listActs(person.id, 'user')];
  const reply = await post(
    `/people/${person.user_id}/edit`,
    { email: createEmail(), name: 'J', phone_number: null },
    'manager',
  );
  expect(reply.status).toBe(500);
  expect([await listActs(person.id, 'mail'), await listActs(person.id, 'user')]).toEqual(before);
  await portal.db.execute('drop trigger refuse_job on job; drop function refuse_job');
  await portal.db.query('delete from job where key = $1', [person.email]);
});
