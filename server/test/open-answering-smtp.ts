// Runs an SMTP server. A test chooses its response to each recipient.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** The response to RCPT TO: an SMTP error, 'hang up' to close the connection, or null to accept the mail. */
export type SmtpResponse = { code: number; words: string } | 'hang up' | null;

export type AnsweringSmtp = Awaited<ReturnType<typeof openAnsweringSmtp>>;

/** Starts the server. It accepts each mail unless `answers` has another response to the recipient. */
export async function openAnsweringSmtp() {
  const answers = new Map<string, SmtpResponse>();
  const mails: { to: string; raw: string }[] = [];
  const sockets = new Set<{ destroy(): void }>();
  let waiting: Promise<void> = Promise.resolve();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      const answer = answers.get(address) ?? null;
      if (answer === null) return done();
      if (answer !== 'hang up')
        return done(Object.assign(new Error(answer.words), { responseCode: answer.code }));
      for (const socket of sockets) socket.destroy();
    },
    onData: async (stream, session, done) => {
      const raw = await text(stream);
      await waiting;
      mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', raw });
      done(null, 'OK: queued as 4Fx1');
    },
  });
  server.server.on('connection', (socket) => sockets.add(socket));
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    answers,
    /** The accepted mails, oldest first. `raw` is the whole message. */
    mails,
    /** Holds all mails until the returned function is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = promise;
      return resolve;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
