// A mail server for crowds: it hands each address the code of its mail, however many wait.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  /** Value for SMTP_URL. */
  url: string;
  /** The code of the mail to `address`, for which nobody else waits; waits as long as it takes. */
  takeCode(address: string): Promise<string>;
  close(): Promise<void>;
};

/** Listens on a free port of the loopback address. */
export async function openMailServer(): Promise<MailServer> {
  const letters = new Map<string, PromiseWithResolvers<string>>();
  const letterTo = (address: string) => {
    const letter = letters.get(address) ?? Promise.withResolvers<string>();
    letters.set(address, letter);
    return letter;
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      text(stream).then((mail) => {
        const code = /^\d{6}\r?$/m.exec(mail)?.[0].trim();
        for (const { address } of code ? envelope.rcptTo : []) letterTo(address).resolve(code ?? '');
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    takeCode: (address) => letterTo(address).promise,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
