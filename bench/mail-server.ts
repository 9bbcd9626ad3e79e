// Runs an SMTP server for benchmarks. It keeps the sign-in code of each mail that it receives.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  /** Address of the server, as a value for SMTP_URL. */
  url: string;
  /** Waits, without a time limit, for the first mail to `address`. Returns the code in this mail. */
  takeCode(address: string): Promise<string>;
  close(): Promise<void>;
};

/** Starts the server on a free port of the loopback address. */
export async function openMailServer(): Promise<MailServer> {
  const codes = new Map<string, PromiseWithResolvers<string>>();
  const codeFor = (address: string) => {
    const code = codes.get(address) ?? Promise.withResolvers<string>();
    codes.set(address, code);
    return code;
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      text(stream).then((mail) => {
        const code = /^\d{6}\r?$/m.exec(mail)?.[0].trim();
        for (const { address } of code ? envelope.rcptTo : []) codeFor(address).resolve(code ?? '');
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    takeCode: (address) => codeFor(address).promise,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
