// Sends mail through an SMTP server, or into an outbox in memory for developers and tests.
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { escapeHtml } from '../escape-html.ts';

/** Without `html`, the mailer converts the text to HTML with paragraphs and links. */
export type Mail = { to: string; subject: string; text: string; html?: string };

export type Mailer = {
  /**
   * Resolves when the mail server accepted the mail. If `signal` aborts, the connection is closed, and the mail is not
   * sent.
   * @throws MailError if the mail was not accepted; the reason of `signal` if it aborted.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** A mail as /dev/outbox shows it; `sent_at` is in ISO 8601. */
export type OutboxMail = Required<Mail> & { links: string[]; sent_at: string };

export type Outbox = Mailer & { list(): OutboxMail[] };

/**
 * More connections take CPU time from requests. With 8 connections and ten thousand sign-ins within a minute, every
 * 16th request was dropped, and the mails were not sent sooner (measured).
 */
const MAIL_CONNECTIONS = 4;

/**
 * A failed mail. The message has no address: errors are logged, and mail servers repeat the recipient in their
 * responses. `code` is nodemailer's. `responseCode` and `command` are SMTP's, for example 550 and RCPT TO. Each may be
 * undefined.
 */
class MailError extends Error {
  // Private, so that the logger does not write it.
  readonly #serverMessage: string;
  override name = 'MailError';
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;

  constructor(error: Error & { code?: string; responseCode?: number; command?: string; response?: string }) {
    const { code, responseCode, command } = error;
    super(`The mail was not accepted (${[code, responseCode, command].filter(Boolean).join(', ')})`);
    this.#serverMessage = error.response ?? error.message;
    this.code = code;
    this.responseCode = responseCode;
    this.command = command;
  }

  /** The mail server's response, or the reason why the server could not be reached. May contain the recipient. */
  get reason(): string {
    // Only the first line, without ids in brackets, so that equal refusals have equal reasons.
    return (this.#serverMessage.split('\n', 1)[0] ?? '').replaceAll(/\s*\[.*?\]/g, '');
  }

  /** True if the mail server refused the recipient permanently (RFC 5321, 5yz to RCPT TO). */
  get final(): boolean {
    return this.command === 'RCPT TO' && Number(this.responseCode) >= 500;
  }
}

const SMTP_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const OUTBOX_SIZE = 50;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const LINK = /https?:\/\/[^\s<>"]+/g;

/** Connects and logs in, without sending. @throws the error of the connection or of the mail server. */
export async function checkSmtp({ url }: { url: string }): Promise<void> {
  const transport = createTransport({ ...readSmtpUrl(url), ...SMTP_TIMEOUTS });
  await transport.verify().finally(() => transport.close());
}

/** `url` is smtp://user:password@host:port or smtps://…, `from` is `Name <address>`. */
export function openSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    ...SMTP_TIMEOUTS,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // Prevents that the content of a mail makes nodemailer read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    // The address is passed as an object, because nodemailer would parse a string: a comma would add a recipient
    // (CVE-2022-35924).
    send: async ({ to, ...mail }, signal) => {
      // Tells other mail servers not to send automatic replies (RFC 3834).
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

/** Keeps the last mails in the memory of this process, and writes their links to the log. */
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

// With a password, TLS is required, except to this machine.
function readSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 465 : 587);
  if (url.username === '') return { host, port, secure };
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host, port, secure, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}
