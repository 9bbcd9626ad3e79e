// Sends mail through an SMTP server. Developers and tests can use an outbox in memory instead.
import type { Readable } from 'node:stream';
import { canonicalAddress } from '@portal/contract';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { escapeHtml } from '../escape-html.ts';

/**
 * A mail to one address. Without `html`, the mailer converts `text` to HTML. The mailer makes the Message-ID from `id`.
 * A retry must have the same id, so that a mailbox that receives both mails shows only one.
 */
export type Mail = { to: string; subject: string; text: string; html?: string; id?: string };

export type Mailer = {
  /**
   * Sends a mail. Resolves when the mail server has accepted the mail, with the last line of the server's response. If
   * `signal` aborts, closes the connection.
   * @throws MailError if the mail server did not accept the mail, or may have accepted the mail (`unconfirmed`).
   * @throws the reason of `signal` if `signal` aborted before the whole mail was sent.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
};

/** A mail that the page /dev/outbox shows. `sent_at` is in ISO 8601. */
export type OutboxMail = Required<Omit<Mail, 'id'>> & { links: string[]; sent_at: string };

export type Outbox = Mailer & { list(): OutboxMail[] };

/**
 * Number of connections to the mail server. More connections would take CPU time from requests. Measured with ten
 * thousand sign-ins in one minute: with 8 connections, every 16th request was dropped, and mails were not sent sooner.
 */
export const MAIL_CONNECTIONS = 4;

// SMTP commands for one mail. A refusal of another command, such as AUTH, says nothing about the mail.
const MAIL_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA'];
// SMTP status codes of a mail server that throttles (R-MAP-31).
const SLOW_DOWN = [421, 450, 451, 452, 454];

type SmtpError = Error & { code?: string; responseCode?: number; command?: string; response?: string };

/**
 * Thrown if a mail was not accepted. The message is logged, so it does not contain the response of the mail server,
 * which may contain the recipient. `code` is from nodemailer. `responseCode` and `command` are from SMTP, for example
 * 550 and RCPT TO.
 */
export class MailError extends Error {
  // This field is private, so that the logger does not write it.
  readonly #serverMessage: string;
  override name = 'MailError';
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;
  /** True if the whole mail was sent, but the mail server sent no response. The server may have accepted the mail. */
  readonly unconfirmed: boolean;
  /**
   * Seconds until the next try, if the mail server throttles; `openMailPace` sets this field. The failed try then does
   * not count towards the maximum number of tries.
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
    // Mail servers put a different id in brackets into each response. Without the ids, mails that failed for the same
    // reason are one group in the staff's list of failed jobs.
    return (this.#serverMessage.split('\n', 1)[0] ?? '').replaceAll(/\s*\[.*?\]/g, '');
  }

  /** True if the mail server refused this mail permanently: a 5xx response to a command of the mail (RFC 5321). */
  get final(): boolean {
    return MAIL_COMMANDS.includes(this.command ?? '') && Number(this.responseCode) >= 500;
  }

  /**
   * True if the mail server refused the recipient permanently. Codes 5.7.x (RFC 3463) do not count, because such a
   * refusal is about the sender: for example, the mail server does not relay mails of this portal.
   */
  get refusesRecipient(): boolean {
    return this.final && this.command === 'RCPT TO' && !/^\d{3}[ -]5\.7\./.test(this.#serverMessage);
  }

  /**
   * 'all' if the mail server throttles the portal. 'recipient' if the server either throttles the portal or cannot take
   * mails for this recipient now, for example because the mailbox is full. Otherwise null.
   */
  get slowsDown(): 'all' | 'recipient' | null {
    if (!SLOW_DOWN.includes(Number(this.responseCode))) return null;
    return this.command === 'RCPT TO' && this.responseCode !== 421 ? 'recipient' : 'all';
  }
}

/** Time-outs in milliseconds, for the phases of SMTP (see SMTP_TIMEOUTS). */
export type SmtpTimeouts = Record<'connect' | 'wait' | 'envelope' | 'content' | 'final', number>;

const MINUTE_MS = 60_000;
/**
 * The minimum time-outs in RFC 5321, 4.5.3.2. A mail server may check a mail for minutes before it accepts the mail. If
 * the portal closed the connection earlier, it would later send an accepted mail again. `wait` is the time from the
 * call of `send` until the command MAIL: for a free connection, or for greeting and login. `envelope` is the time for
 * the commands MAIL, RCPT and DATA.
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

/** Connects to the mail server and logs in. Sends no mail. @throws the error of the connection or of the server. */
export async function checkSmtp({ url }: { url: string }): Promise<void> {
  const transport = createTransport({ ...readSmtpUrl(url), ...CHECK_TIMEOUTS });
  await transport.verify().finally(() => transport.close());
}

/** `url` is smtp://user:password@host:port or smtps://…. `from` is the sender, such as `Name <address>`. */
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
    // nodemailer has one time-out for all commands. `Phases` has a time-out for each phase, none longer than this one.
    socketTimeout: Math.max(...Object.values(timeouts)),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // Without these two options, text in a mail could make nodemailer read a file or fetch an address.
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
    // `canonicalAddress` removes invisible characters, which a stored address may contain (N-303). The recipient is an
    // object, because nodemailer would parse a string, and a comma would add a second recipient (CVE-2022-35924).
    send: async ({ to, id, ...mail }, signal) => {
      // Prevents automatic replies of mailboxes (RFC 3834).
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

/** The phases of SMTP for one mail. `signal` aborts if a phase takes longer than its time-out, or if `stop` aborts. */
class Phases {
  /** True if the whole mail was sent. */
  complete = false;
  /** The error if a phase took longer than its time-out; else null. */
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

  /** Call this when a connection begins to send the mail. nodemailer reads `content` after the response to DATA. */
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

/** Opens a mailer that keeps the last 50 mails in memory and logs the links in them. It sends nothing. */
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

// Converts an SMTP address to nodemailer's settings. Requires TLS if the address has a user name, except for a server
// on this machine.
function readSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 465 : 587);
  if (url.username === '') return { host, port, secure };
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host, port, secure, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}
