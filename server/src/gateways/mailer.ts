// Sends mail through an SMTP server. Developers and tests can use an outbox in memory instead.
import type { Readable } from 'node:stream';
import { canonicalAddress } from '@portal/contract';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { escapeHtml } from '../escape-html.ts';

/**
 * A mail to one address. Without `html`, the mailer converts `text` to HTML with paragraphs and links. `id` identifies the
 * mail: a retry with the same id has the same Message-ID, so that mailboxes show it once.
 */
export type Mail = { to: string; subject: string; text: string; html?: string; id?: string };

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
export type OutboxMail = Required<Omit<Mail, 'id'>> & { links: string[]; sent_at: string };

export type Outbox = Mailer & { list(): OutboxMail[] };

/**
 * Number of connections to the mail server. More connections would take CPU time from requests. With 8 connections and
 * ten thousand sign-ins in one minute, every 16th request was dropped (measured). The mails were not sent sooner
 * either.
 */
export const MAIL_CONNECTIONS = 4;

// Commands whose refusal is about this mail. A refusal at another command, such as AUTH, is about the whole connection.
const MAIL_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA'];
// Responses by which a mail server asks for fewer mails (R-MAP-31).
const SLOW_DOWN = [421, 450, 451, 452, 454];

type SmtpError = Error & { code?: string; responseCode?: number; command?: string; response?: string };

/**
 * The error for a mail that was not accepted. Mail servers repeat the recipient in their responses, and errors are
 * logged. So the message contains no address. `code` is from nodemailer. `responseCode` and `command` are from SMTP,
 * for example 550 and RCPT TO. Each of these three fields may be undefined.
 */
export class MailError extends Error {
  // The response of the mail server may contain the recipient. This field is private, so the logger does not write it.
  readonly #serverMessage: string;
  override name = 'MailError';
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;
  /**
   * True if the mail server got the whole mail, and the connection ended before its response. So the mail server may have
   * accepted the mail.
   */
  readonly unconfirmed: boolean;
  /**
   * Set if the mail server throttles: seconds until the next try. The failed try does not count towards the maximum number
   * of tries.
   */
  waitSeconds: number | undefined;

  constructor(error: SmtpError, { unconfirmed }: { unconfirmed: boolean }) {
    const { code, responseCode, command } = error;
    super(`The mail was not accepted (${[code, responseCode, command].filter(Boolean).join(', ')})`);
    this.unconfirmed = unconfirmed;
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
    if (this.unconfirmed) return 'The mail server did not say whether it accepted the mail';
    // Mail servers put a different id in brackets into each response. Without the ids, refusals with the same cause
    // have the same reason, and staff see them as one group.
    return (this.#serverMessage.split('\n', 1)[0] ?? '').replaceAll(/\s*\[.*?\]/g, '');
  }

  /** True if the mail server refused this mail permanently: a 5xx response to a command of the mail (RFC 5321). */
  get final(): boolean {
    return MAIL_COMMANDS.includes(this.command ?? '') && Number(this.responseCode) >= 500;
  }

  /**
   * True if the permanent refusal is about the recipient. Status codes 5.7.x are about the sender: the mail server does
   * not relay for this portal, for example (RFC 3463).
   */
  get refusesRecipient(): boolean {
    return this.final && this.command === 'RCPT TO' && !/^\d{3}[ -]5\.7\./.test(this.#serverMessage);
  }

  /**
   * 'all' if the mail server asks for fewer mails. 'recipient' if the response may also concern this recipient alone, such
   * as a full mailbox. Otherwise null.
   */
  get slowsDown(): 'all' | 'recipient' | null {
    if (!SLOW_DOWN.includes(Number(this.responseCode))) return null;
    return this.command === 'RCPT TO' && this.responseCode !== 421 ? 'recipient' : 'all';
  }
}

/** Time-outs in milliseconds. `envelope`: from the sender to the mail server's response to DATA. */
export type SmtpTimeouts = Record<'connect' | 'wait' | 'envelope' | 'content' | 'final', number>;

const MINUTE_MS = 60_000;
/**
 * The least times that RFC 5321, 4.5.3.2, advises: a mail server may check a mail for minutes before it accepts it, and a
 * client that hangs up earlier sends the mail twice. `envelope` is the sum of MAIL, RCPT and DATA. `wait` is from this
 * mail's call until its envelope: it waits for a connection, or for its greeting and login.
 */
const SMTP_TIMEOUTS: SmtpTimeouts = {
  connect: 5 * MINUTE_MS,
  wait: 30 * MINUTE_MS,
  envelope: 12 * MINUTE_MS,
  content: 3 * MINUTE_MS,
  final: 10 * MINUTE_MS,
};
const CHECK_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const OUTBOX_SIZE = 50;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const LINK = /https?:\/\/[^\s<>"]+/g;

/**
 * Connects to the mail server and logs in, without sending a mail. @throws the error of the connection or of the mail
 * server.
 */
export async function checkSmtp({ url }: { url: string }): Promise<void> {
  const transport = createTransport({ ...readSmtpUrl(url), ...CHECK_TIMEOUTS });
  await transport.verify().finally(() => transport.close());
}

/**
 * Opens a mailer that uses an SMTP server. `url` is smtp://user:password@host:port or smtps://…. `from` is the sender,
 * `Name <address>`.
 */
export function openSmtpMailer({
  url,
  from,
  timeouts = SMTP_TIMEOUTS,
}: {
  url: string;
  from: string;
  timeouts?: SmtpTimeouts;
}): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    // `Phases` ends each command at its own time-out. nodemailer has one time-out for all commands, so it is the longest.
    socketTimeout: Math.max(...Object.values(timeouts)),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // Without this option and the next one, text in a mail could make nodemailer read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const running = new WeakMap<AbortSignal, Phases>();
  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((content) => (data.signal && running.get(data.signal)?.follow(content)) ?? content);
    done();
  });
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    // A stored address may contain characters that nobody can see (N-303).
    // The recipient is passed as an object. nodemailer would parse a string, and a comma in it would add a second
    // recipient (CVE-2022-35924).
    send: async ({ to, id, ...mail }, signal) => {
      // This header makes other mail servers send no automatic replies (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const html = mail.html ?? toHtml(mail.text);
      const phases = new Phases(timeouts, signal);
      running.set(phases.signal, phases);
      const sent = transport.sendMail({
        ...mail,
        html,
        from,
        to: { name: '', address: canonicalAddress(to) },
        headers,
        signal: phases.signal,
        ...(id !== undefined && { messageId: `<${id}@${domain}>` }),
      });
      const { response } = await sent
        .catch((error: SmtpError) => {
          const unconfirmed = phases.complete && error.responseCode === undefined;
          if (signal?.aborted && !unconfirmed) throw signal.reason;
          throw new MailError(phases.timeout ?? error, { unconfirmed });
        })
        .finally(() => phases.end());
      return response.trim().split('\n').at(-1) ?? '';
    },
    close: async () => transport.close(),
  };
}

/**
 * Follows one mail through the phases of SMTP, and aborts `signal` if a phase takes longer than its time-out, or if
 * `stop` aborts.
 */
class Phases {
  /** True if the whole mail was sent to the mail server, with the dot that ends it. */
  complete = false;
  /** The error of the time-out; null if there was none. */
  timeout: SmtpError | null = null;
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #timeouts: SmtpTimeouts;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeouts: SmtpTimeouts, stop: AbortSignal | undefined) {
    this.#timeouts = timeouts;
    this.signal = stop === undefined ? this.#abort.signal : AbortSignal.any([this.#abort.signal, stop]);
    this.#enter('wait');
  }

  /** Called when a connection begins to send the mail. nodemailer reads `content` after the response to DATA. */
  follow(content: Readable): Readable {
    this.#enter('envelope');
    content.once('resume', () => this.#enter('content'));
    content.once('end', () => {
      this.complete = true;
      this.#enter('final');
    });
    return content;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #enter(phase: Exclude<keyof SmtpTimeouts, 'connect'>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.timeout = Object.assign(new Error('The mail server did not respond in time'), {
        code: 'ETIMEDOUT',
      });
      this.#abort.abort();
    }, this.#timeouts[phase]);
  }
}

/** Opens an outbox: keeps the last mails in the memory of this process, and writes their links to the log. */
export function openOutbox({ log, now }: { log: Pick<Logger, 'info'>; now: () => Date }): Outbox {
  const mails: OutboxMail[] = [];
  return {
    send: async ({ id: _id, ...mail }) => {
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
