// Runs an SMTP server that stores mails and extracts the sign-in link and code.
import { EventEmitter, once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const MAIL_TIMEOUT_MS = 30_000;

export type SignInMail = { to: string; link: string; code: string };

export type Mailbox = {
  /** This server's connection string, for the portal's variable SMTP_URL. */
  url: string;
  /** Removes and returns the oldest mail to `to`. Waits up to 30 seconds for a mail, and throws if none arrives. */
  takeMail(to: string): Promise<SignInMail>;
  /** Addresses that the mail server rejects permanently (550). */
  refused: Set<string>;
  close(): Promise<void>;
};

/** Listens on a free port of the loopback address. */
export async function openMailbox(): Promise<Mailbox> {
  const waiting: SignInMail[] = [];
  const refused = new Set<string>();
  const arrivals = new EventEmitter();
  arrivals.setMaxListeners(0);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, done) {
      const refusal = Object.assign(new Error(`5.1.1 <${address}> no such user here`), { responseCode: 550 });
      done(refused.has(address) ? refusal : null);
    },
    onData(stream, session, done) {
      buffer(stream)
        .then((mail) => PostalMime.parse(mail))
        .then(({ text = '' }) => {
          for (const { address } of session.envelope.rcptTo) waiting.push(...readMail(address, text));
          arrivals.emit('mail');
          done();
        }, done);
    },
  });
  // Ignores connection resets, which happen if a portal is killed while it sends a mail.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');

  return {
    url: `smtp://127.0.0.1:${address.port}`,
    refused,
    takeMail: async (to) => {
      const expired = AbortSignal.timeout(MAIL_TIMEOUT_MS);
      for (;;) {
        const index = waiting.findIndex((mail) => mail.to === to);
        const [mail] = index < 0 ? [] : waiting.splice(index, 1);
        if (mail) return mail;
        await once(arrivals, 'mail', { signal: expired }).catch(() => {
          throw new Error(`no mail came to ${to}`);
        });
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns an empty list if the text has no sign-in link, as in a low-stock mail. */
function readMail(to: string, text: string): SignInMail[] {
  const link = /https?:\/\/\S+\/confirm\?\S+/.exec(text)?.[0];
  if (!link) return [];
  const code = /^\d{6}$/m.exec(text)?.[0];
  if (!code) throw new Error(`a sign-in mail without a code:\n${text}`);
  return [{ to, link, code }];
}
