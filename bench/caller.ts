// Makes HTTP calls one after another on one connection. Uses a bare socket: a full HTTP client needs so much processor
// time that the benchmark would measure the client instead of the server.
import { once } from 'node:events';
import { connect } from 'node:net';

export type Call = { method: string; path: string; token?: string | undefined; body?: string | undefined };

export type Caller = {
  /** Makes a call and returns the response body. Throws unless the status is 200. Calls must not overlap. */
  call(call: Call): Promise<string>;
  close(): void;
};

const HEAD_END = '\r\n\r\n';

/** Connects to the server at `url`. */
export async function openCaller(url: string): Promise<Caller> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let settle: { resolve: (text: string) => void; reject: (error: Error) => void } | undefined;
  let received = '';
  socket.setEncoding('latin1').setNoDelay();
  socket.on('data', (chunk: string) => {
    received += chunk;
    const end = received.indexOf(HEAD_END);
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1]);
    if (received.length < end + HEAD_END.length + length) return;
    const answer = received;
    received = '';
    if (answer.startsWith('HTTP/1.1 200')) settle?.resolve(answer.slice(end + HEAD_END.length));
    else settle?.reject(new Error(answer));
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('the server hung up')));
  await once(socket, 'connect');
  return {
    call: ({ method, path, token, body = '' }) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        const lines = [
          `${method} ${path} HTTP/1.1`,
          `Host: ${host}`,
          ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
          ...(token ? [`Authorization: Bearer ${token}`] : []),
        ];
        socket.write(`${lines.join('\r\n')}${HEAD_END}${body}`);
      }),
    close: () => socket.destroy(),
  };
}
