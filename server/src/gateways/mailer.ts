// Sends mail: through an SMTP server, or into an outbox in memory where developers and tests read it.
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { escapeHtml } from './escape-html.ts';

/** Without `html` the text is sent as HTML too, its paragraphs and links kept. */
export type Mail = { to: string; subject: string; text: string; html?: string };

export type Mailer = {
  /**
   * Resolves when the mail was accepted for delivery. When `signal` aborts, the connection is dropped: the mail goes out
   * no more. @throws MailError with what kept it from being accepted; the signal's reason when that aborted.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** A mail as the outbox shows it; `sent_at` in ISO 8601, newest first. */
export type OutboxMail = Required<Mail> & { links: string[]; sent_at: string };

export type Outbox = Mailer & { list(): OutboxMail[] };

/**
 * Writing a mail takes the processor from those who open pages: with eight, when ten thousand came within a minute, every
 * sixteenth was hung up on, and the mails went out no sooner (measured).
 */
const MAIL_CONNECTIONS = 4;

/**
 * Says how a mail failed and holds no address: errors are logged, and mail servers repeat the recipient in their responses.
 * `code` is nodemailer's, `responseCode` and `command` are SMTP's, such as 550 and RCPT TO; undefined where there is none.
 */
class MailError extends Error {
  // Private, so that the log does not hold it.
  readonly #words: string;
  override name = 'MailError';
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;

  constructor(error: Error & { code?: string; responseCode?: number; command?: string; response?: string }) {
    const { code, responseCode, command } = error;
    super(`The mail was not accepted (${[code, responseCode, command].filter(Boolean).join(', ')})`);
    this.#words = error.response ?? error.message;
    this.code = code;
    this.responseCode = responseCode;
    this.command = command;
  }

  /** What the mail server said, or what kept it from being reached; it may name the recipient. */
  get reason(): string {
    // Its first line, without ids in brackets: equal refusals have equal reasons.
    return (this.#words.split('\n', 1)[0] ?? '').replaceAll(/\s*\[.*?\]/g, '');
  }

  /** True when the mail server refused the recipient for good (RFC 5321, 5yz to RCPT TO). */
  get final(): boolean {
    return this.command === 'RCPT TO' && Number(this.responseCode) >= 500;
  }
}

const SMTP_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const OUTBOX_SIZE = 50;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const LINK = /https?:\/\/[^\s<>"]+/g;

/** Connects and logs in, and sends nothing. @throws what the mail server, or the way there, has against it. */
export async function checkSmtp({ url }: { url: string }): Promise<void> {
  const transport = createTransport({ ...readSmtpUrl(url), ...SMTP_TIMEOUTS });
  await transport.verify().finally(() => transport.close());
}

/** `url` as smtp://user:password@host:port, or smtps://; `from` as `Name <address>`. */
export function openSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    ...SMTP_TIMEOUTS,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // A mail's text must never be able to read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    // As an object the address is taken as it is: a comma in a string would add a recipient (CVE-2022-35924).
    send: async ({ to, ...mail }, signal) => {
      // RFC 3834: no absence notes in answer.
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const html = mail.html ?? toHtml(mail.text);
      const sent = transport.sendMail({
        ...mail,
        html,
        from,
        to: { name: '', address: to },
        headers,
        signal,
      });
      await sent.catch((error: Error) => {
        throw signal?.aborted ? signal.reason : new MailError(error);
      });
    },
    close: async () => transport.close(),
  };
}

/** Keeps the last mails in the memory of this process, which others cannot read, and writes their links to the log. */
export function openOutbox({ log, now }: { log: Pick<Logger, 'info'>; now: () => Date }): Outbox {
  const mails: OutboxMail[] = [];
  return {
    send: async (mail) => {
      const links = [...new Set(mail.text.match(LINK) ?? [])];
      mails.unshift({ ...mail, html: mail.html ?? toHtml(mail.text), links, sent_at: now().toISOString() });
      mails.length = Math.min(mails.length, OUTBOX_SIZE);
      log.info({ to: mail.to, subject: mail.subject, links }, 'Mail in the outbox');
    },
    list: () => [...mails],
    close: async () => undefined,
  };
}

function toHtml(text: string): string {
  const paragraphs = escapeHtml(text)
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replace(LINK, '<a href="$&">$&</a>').replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html lang="en"><body>${paragraphs.join('')}</body></html>`;
}

// A password is not sent in the clear, except to this machine.
function readSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 465 : 587);
  if (url.username === '') return { host, port, secure };
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host, port, secure, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}
