// Sends mail through an SMTP server. Developers and tests can use an outbox in memory instead.
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { escapeHtml } from '../escape-html.ts';

/** A mail to one address. Without `html`, the mailer converts `text` to HTML with paragraphs and links. */
export type Mail = { to: string; subject: string; text: string; html?: string };

export type Mailer = {
  /**
   * Sends a mail; resolves when the mail server has accepted it, with the last line of the server's response. If `signal`
   * aborts, the connection is closed and the mail is not sent.
   * @throws MailError if the mail server did not accept the mail.
   * @throws the reason of `signal` if it aborted.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
};

/** A mail in the outbox, as the page /dev/outbox shows it. `sent_at` is in ISO 8601. */
export type OutboxMail = Required<Mail> & { links: string[]; sent_at: string };

export type Outbox = Mailer & { list(): OutboxMail[] };

/**
 * Number of connections to the mail server. More connections would take CPU time from requests. With 8 connections and
 * ten thousand sign-ins in one minute, every 16th request was dropped (measured). The mails were not sent sooner
 * either.
 */
const MAIL_CONNECTIONS = 4;

/**
 * The error for a mail that was not accepted. Mail servers repeat the recipient in their responses, and errors are
 * logged. So the message contains no address. `code` is from nodemailer. `responseCode` and `command` are from SMTP,
 * for example 550 and RCPT TO. Each of these three fields may be undefined.
 */
class MailError extends Error {
  // The response of the mail server may contain the recipient. This field is private, so the logger does not write it.
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

  /**
   * The first line of the mail server's response, or the reason why the server could not be reached. The text may
   * contain the recipient.
   */
  get reason(): string {
    // Mail servers put a different id in brackets into each response. Without the ids, refusals with the same cause
    // have the same reason, and staff see them as one group.
    return (this.#serverMessage.split('\n', 1)[0] ?? '').replaceAll(/\s*\[.*?\]/g, '');
  }

  /** True if the mail server refused the recipient permanently: a 5xx response to RCPT TO (RFC 5321). */
  get final(): boolean {
    return this.command === 'RCPT TO' && Number(this.responseCode) >= 500;
  }

  /**
   * True if the permanent refusal is about the recipient. Status codes 5.7.x are about the sender: the mail server does
   * not relay for this portal, for example (RFC 3463).
   */
  get refusesRecipient(): boolean {
    return this.final && !/^\d{3}[ -]5\.7\./.test(this.#serverMessage);
  }
}

const SMTP_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const OUTBOX_SIZE = 50;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const LINK = /https?:\/\/[^\s<>"]+/g;

/**
 * Connects to the mail server and logs in, without sending a mail. @throws the error of the connection or of the mail
 * server.
 */
export async function checkSmtp({ url }: { url: string }): Promise<void> {
  const transport = createTransport({ ...readSmtpUrl(url), ...SMTP_TIMEOUTS });
  await transport.verify().finally(() => transport.close());
}

/**
 * Opens a mailer that uses an SMTP server. `url` is smtp://user:password@host:port or smtps://…. `from` is the sender,
 * `Name <address>`.
 */
export function openSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    ...SMTP_TIMEOUTS,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // Without this option and the next one, text in a mail could make nodemailer read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    // The recipient is passed as an object. nodemailer would parse a string, and a comma in it would add a second
    // recipient (CVE-2022-35924).
    send: async ({ to, ...mail }, signal) => {
      // This header makes other mail servers send no automatic replies (RFC 3834).
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
      const { response } = await sent.catch((error: Error) => {
        throw signal?.aborted ? signal.reason : new MailError(error);
      });
      return response.trim().split('\n').at(-1) ?? '';
    },
    close: async () => transport.close(),
  };
}

/** Opens an outbox: keeps the last mails in the memory of this process, and writes their links to the log. */
export function openOutbox({ log, now }: { log: Pick<Logger, 'info'>; now: () => Date }): Outbox {
  const mails: OutboxMail[] = [];
  return {
    send: async (mail) => {
      const links = [...new Set(mail.text.match(LINK) ?? [])];
      mails.unshift({ ...mail, html: mail.html ?? toHtml(mail.text), links, sent_at: now().toISOString() });
      mails.length = Math.min(mails.length, OUTBOX_SIZE);
      log.info({ to: mail.to, subject: mail.subject, links }, 'Mail in the outbox');
      return 'The mail is in the outbox';
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

// Converts an SMTP address to nodemailer's settings. If the address has a password, TLS is required, except for a
// server on this machine.
function readSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 465 : 587);
  if (url.username === '') return { host, port, secure };
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host, port, secure, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}
