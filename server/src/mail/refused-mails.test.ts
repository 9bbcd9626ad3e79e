// Tests the log of a portal whose mail server refuses mails. The log must contain the error codes of the mail server,
// but no address of a recipient.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { findFreePort } from '../../test/postgres.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { startPortal } from '../start-portal.ts';

const DOMAIN = 'learner.example';

/**
 * Starts a mail server that refuses mails. The part of the recipient's address before the @ selects the response of the
 * server. As with real mail servers, the text of the response contains the address.
 */
async function openRefusingServer() {
  const recipients = new Set<string>();
  const refuse = (responseCode: number, address: string) =>
    Object.assign(new Error(`<${address}> is not taken`), { responseCode });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, session, done) => {
      recipients.add(address);
      const [kind = ''] = address.split('@');
      if (/^\d+$/.test(kind)) return done(refuse(Number(kind), address));
      if (kind === 'hang-up') for (const socket of sockets) socket.destroy();
      session.envelope.rcptTo = [{ address, args: false }];
      return done();
    },
    onData: (stream, session, done) => {
      stream.resume();
      const address = session.envelope.rcptTo[0]?.address ?? '';
      stream.once('end', () => done(address.startsWith('taken') ? null : refuse(554, address)));
    },
  });
  const sockets = new Set<{ destroy(): void }>();
  server.server.on('connection', (socket) => sockets.add(socket));
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { recipients, port: (listening.address() as { port: number }).port };
}

test('for accepted, deferred and refused mails and a dropped connection, the log holds SMTP codes and commands, and no address', async () => {
  const { recipients, port: smtpPort } = await openRefusingServer();
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const port = await findFreePort();
  const config = readConfig({
    DATABASE_URL: await createTestDatabase(),
    SECRET_KEY: randomBytes(32).toString('base64'),
    PORT: String(port),
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    MAIL_FROM: 'Benefits <benefits@portal.example>',
    RATE_LIMITS: 'off',
  });
  const portal = await startPortal(config, createLog('trace', stream));
  const people = ['taken', '450', '550', 'data', 'hang-up'].map((kind) => `${kind}@${DOMAIN}`);
  for (const email of people) {
    const response = await fetch(`http://localhost:${port}/auth/v1/otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    expect(response.status).toBe(200);
    // Waits until the portal has begun to send this mail before the test requests the next mail. So a dropped
    // connection affects only one mail.
    await expect.poll(() => recipients.has(email)).toBe(true);
  }
  await portal.close();
  const log = lines.join('');
  expect(log).toContain('"responseCode":450');
  expect(log).toContain('"responseCode":550,"command":"RCPT TO"');
  expect(log).toContain('"responseCode":554,"command":"DATA"');
  expect(log).toMatch(/"code":"E(CONNECTION|SOCKET|CONNRESET)"/);
  for (const secret of [DOMAIN, 'is not taken', '@portal.example']) expect(log).not.toContain(secret);
});
