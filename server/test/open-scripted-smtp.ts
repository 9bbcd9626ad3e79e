// Runs an SMTP server. A test chooses its response to each command: any code, silence, or the end of the connection.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** 'connect' is the greeting, '.' the response to the whole mail. */
export type SmtpStep = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | '.';

/** A line of SMTP, 'silence' or 'hang up'; null: the usual response. */
type Response = string | null;

export type ReceivedMail = { to: string; raw: string; accepted: boolean };

const USUAL: Record<SmtpStep, string> = {
  connect: '220 ready',
  EHLO: '250-here\r\n250 AUTH PLAIN',
  AUTH: '235 welcome',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 queued',
};

/**
 * Starts the server. `respond` gets the step and the recipient, which is '' before RCPT. `mails` has each mail that arrived
 * as a whole, also if the server did not accept it.
 */
export async function openScriptedSmtp(respond: (step: SmtpStep, to: string) => Response) {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    void talk(socket, respond, mails);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://portal:secret@127.0.0.1:${port}`,
    mails,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function talk(
  socket: Socket,
  respond: (step: SmtpStep, to: string) => Response,
  mails: ReceivedMail[],
): Promise<void> {
  let to = '';
  let body: string[] | null = null;
  const answer = (step: SmtpStep): string => {
    const response = respond(step, to) ?? USUAL[step];
    if (response === 'hang up') socket.destroy();
    else if (response !== 'silence') socket.write(`${response}\r\n`);
    return response;
  };
  answer('connect');
  for await (const line of createInterface({ input: socket })) {
    if (body !== null) {
      if (line !== '.') body.push(line);
      else {
        const mail = { to, raw: body.join('\n'), accepted: false };
        body = null;
        mails.push(mail);
        mail.accepted = answer('.').startsWith('250');
      }
      continue;
    }
    const command = line.slice(0, 4).toUpperCase().trim();
    if (command === 'RSET') socket.write('250 ok\r\n');
    else if (command === 'QUIT') socket.end('221 bye\r\n');
    else {
      if (command === 'RCPT') to = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (command === 'MAIL') to = '';
      if (answer(command as SmtpStep).startsWith('354')) body = [];
    }
  }
}
