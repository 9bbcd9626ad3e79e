// A mail server that keeps what it receives, and finds the sign-in link and code in it.
import { EventEmitter, once } from 'node:events';
import { SMTPServer } from 'smtp-server';

const MAIL_TIMEOUT_MS = 15_000;

export type SignInMail = { to: string; link: string; code: string; raw: string };

export type Mailbox = {
  /** Value for SMTP_URL. */
  url: string;
  /** The oldest mail to `to` that was not taken yet; waits for it. */
  takeMail(to: string): Promise<SignInMail>;
  close(): Promise<void>;
};

/** Listens on a free port of the loopback address. */
export async function openMailbox(): Promise<Mailbox> {
  const waiting: SignInMail[] = [];
  const arrivals = new EventEmitter();
  arrivals.setMaxListeners(0);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        for (const { address } of session.envelope.rcptTo) waiting.push(...readMail(address, raw));
        arrivals.emit('mail');
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');

  return {
    url: `smtp://127.0.0.1:${address.port}`,
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

/** None when the mail is another one, such as the notice that codes run low. */
function readMail(to: string, raw: string): SignInMail[] {
  const text = readPlainText(raw);
  const link = /https?:\/\/\S+\/confirm\?\S+/.exec(text)?.[0];
  if (!link) return [];
  const code = /^\d{6}$/m.exec(text)?.[0];
  if (!code) throw new Error(`a sign-in mail without a code:\n${raw}`);
  return [{ to, link, code, raw }];
}

/** The text/plain part, decoded. */
function readPlainText(raw: string): string {
  const mail = raw.replaceAll('\r\n', '\n');
  const part =
    mail.split(/^--.*$/m).find((candidate) => /content-type: text\/plain/i.test(candidate)) ?? mail;
  const [, head = '', body = ''] = /^([\s\S]*?)\n\n([\s\S]*)$/.exec(part.trimStart()) ?? [];
  if (/content-transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/content-transfer-encoding: quoted-printable/i.test(head)) return body;
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
