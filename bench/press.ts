// The load: a process of its own that makes one call after another over HTTP, 64 callers at a time.
// Reads a Load as JSON from stdin and writes a Pressed to stdout. It speaks HTTP over bare sockets: a client that does more
// takes so much of the machine that it, and not the server, would be measured.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';

/** One request a token, in order: the same for all but the token. */
export type Load = { url: string; method: string; path: string; body?: string; tokens: string[] };

/** `codes`: how many different coupon codes were answered. `milliseconds`: of each request, in no order. */
export type Pressed = { seconds: number; codes: number; milliseconds: number[] };

const CALLERS = 64;
const HEAD_END = '\r\n\r\n';

const { url, method, path, body = '', tokens } = (await json(process.stdin)) as Load;
const { hostname, port, host } = new URL(url);
const bodyLines = body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${bodyLines}Authorization: Bearer `;

/** Sends one request at a time over `socket`, which stays open; throws unless the answer is 200. */
function openCaller(socket: Socket): (token: string) => Promise<string> {
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
    if (answer.startsWith('HTTP/1.1 200')) settle?.resolve(answer.slice(end));
    else settle?.reject(new Error(answer));
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('the server hung up')));
  return (token) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket.write(`${head}${token}${HEAD_END}${body}`);
    });
}

const callers = await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return { socket, call: openCaller(socket) };
  }),
);
const waiting = tokens.values();
const codes = new Set<string>();
const milliseconds: number[] = [];
const startedMs = performance.now();
await Promise.all(
  callers.map(async ({ call }) => {
    for (const token of waiting) {
      const askedMs = performance.now();
      const code = /"couponCode":"([^"]*)"/.exec(await call(token))?.[1];
      milliseconds.push(performance.now() - askedMs);
      if (code !== undefined) codes.add(code);
    }
  }),
);
const seconds = (performance.now() - startedMs) / 1000;
for (const { socket } of callers) socket.destroy();
console.log(JSON.stringify({ seconds, codes: codes.size, milliseconds } satisfies Pressed));
