// Tests that mails are sent through a real SMTP server, and that the outbox keeps the latest mails.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { openOutbox, openSmtpMailer } from './mailer.ts';

const MAIL = {
  to: 'ada@example.org',
  subject: 'Grüße',
  text: 'http://a.example/?b=1&c=2',
  html: '<p>Hi</p>',
};

type Received = { from: string; to: string[]; raw: string };

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

async function openServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, session, done) => {
      const raw = await text(stream);
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map((recipient) => recipient.address),
        raw,
      });
      done();
    },
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  opened.push({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { received, port };
}

function openMailer(port: number, login = '') {
  const mailer = openSmtpMailer({
    url: `smtp://${login}127.0.0.1:${port}`,
    from: 'Portal <portal@example.org>',
  });
  opened.push(mailer);
  return mailer;
}

describe('the SMTP mailer', () => {
  test('sends text and HTML, and resolves when the server accepted them', async () => {
    const { port, received } = await openServer();
    await openMailer(port).send(MAIL);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from: 'portal@example.org', to: ['ada@example.org'] });
    expect(received[0]?.raw).toContain('text/plain');
    expect(received[0]?.raw).toContain('text/html');
  });

  test.each([
    'ada@example.org,eve@example.net',
    'ada@example.org, Eve <eve@example.net>',
    'a;eve@example.net',
  ])('sends to at most one recipient: %s', async (to) => {
    const { port, received } = await openServer();
    await openMailer(port)
      .send({ ...MAIL, to })
      .catch(() => undefined);
    const recipients = received.flatMap((mail) => mail.to);
    expect(recipients).not.toContain('eve@example.net');
    expect(recipients.length).toBeLessThanOrEqual(1);
  });

  test('N-303: sends to the canonical form of a stored address', async () => {
    const { port, received } = await openServer();
    await openMailer(port).send({ ...MAIL, to: 'a\u200Bda@example.org' });
    expect(received[0]?.to).toEqual(['ada@example.org']);
  });

  test('marks a permanently refused recipient as final, and no other failure', async () => {
    const refusing = await openServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such person'), { responseCode: 550 })),
    });
    const busy = await openServer({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('later'), { responseCode: 451 })),
    });
    const refusal = await openMailer(refusing.port)
      .send(MAIL)
      .catch((error: unknown) => error);
    const delay = await openMailer(busy.port)
      .send(MAIL)
      .catch((error: unknown) => error);
    const silence = await openMailer(1)
      .send(MAIL)
      .catch((error: unknown) => error);
    expect([refusal, delay, silence].map((error) => error instanceof Error)).toEqual([true, true, true]);
    expect([refusal, delay, silence]).toMatchObject([{ final: true }, { final: false }, { final: false }]);
    expect(refusal).toMatchObject({ reason: expect.stringMatching(/^550 /) });
  });

  test('logs in with the decoded user and password of the URL', async () => {
    const seen: string[] = [];
    const { port } = await openServer({
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: (auth, _session, done) => {
        seen.push(`${auth.username}/${auth.password}`);
        done(null, { user: 'portal' });
      },
    });
    await openMailer(port, 'portal%40example.org:p%2Fw@').send(MAIL);
    expect(seen).toEqual(['portal@example.org/p/w']);
  });
});

describe('the outbox', () => {
  test('shows a mail without HTML as escaped HTML, with its link as an element', async () => {
    const outbox = openOutbox({ log: { info: () => undefined }, now: () => new Date(0) });
    await outbox.send({ to: 'a@b.co', subject: 'S', text: 'One <b>\ntwo\n\nhttps://x.example/a?b=1&c=2\n' });
    expect(outbox.list()[0]?.html).toContain(
      '<p>One &lt;b&gt;<br>two</p><p><a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a></p>',
    );
  });

  test('keeps the last fifty mails, newest first, with their links', async () => {
    const logged: unknown[] = [];
    const log = { info: (fields: unknown) => void logged.push(fields) };
    const outbox = openOutbox({ log, now: () => new Date(0) });
    for (let sent = 0; sent < 51; sent += 1) await outbox.send({ ...MAIL, subject: String(sent) });
    const mails = outbox.list();
    expect(mails.map((mail) => mail.subject)).toEqual(Array.from({ length: 50 }, (_, at) => String(50 - at)));
    expect(mails[0]).toMatchObject({
      links: ['http://a.example/?b=1&c=2'],
      sent_at: '1970-01-01T00:00:00.000Z',
    });
    expect(JSON.stringify(logged.at(-1))).toContain('http://a.example/?b=1&c=2');
  });
});
