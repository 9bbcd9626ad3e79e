// Limits for the bodies of requests: closes connections whose body arrives too slowly, and parses the uploads of large
// files one after the other.

import { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest, type RequestPayload } from 'fastify';
import { AppError } from '../app-error.ts';

/**
 * Closes the connection if the body of a request has not arrived `patienceMs` after its headers.
 * Routes that accept a body larger than `bodyLimitBytes` are an exception: once the `onRequest` hooks have
 * authenticated the caller, only Fastify's `requestTimeout` limits the time.
 */
export function limitArrival(
  app: FastifyInstance,
  { patienceMs, bodyLimitBytes }: { patienceMs: number; bodyLimitBytes: number },
): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined)
      return done();
    // Requests that a test injects have no connection, and `complete` is undefined. They have no limit.
    if (raw.complete !== false) return done();
    const timer = setTimeout(() => {
      // Fastify handles `clientError`: it responds 408 and closes the connection.
      const tooSlow = new Error('The request took too long to arrive');
      const error = Object.assign(tooSlow, { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      if (!raw.complete) app.server.emit('clientError', error, raw.socket);
    }, patienceMs);
    timers.set(raw, timer);
    raw.once('close', () => clearTimeout(timer));
    done();
  });
  app.addHook('preParsing', ({ raw, routeOptions }, _reply, _payload, done) => {
    if ((routeOptions.bodyLimit ?? 0) > bodyLimitBytes) clearTimeout(timers.get(raw));
    done();
  });
}

const turns = new WeakMap<FastifyRequest, { forgetBody: () => void; end: () => void }>();

/**
 * Lets only one upload be parsed and stored at a time. The body of an upload waits in memory until all earlier uploads
 * have called `endTurn` or sent their response. A body that is still arriving blocks no other upload, because a slow
 * body takes minutes. Bodies of at most `smallBytes` never wait.
 * The bodies that wait or arrive have at most `maxWaitingBytes` together. If a further upload would exceed this limit,
 * it is refused with `unavailable`.
 */
export function takeTurns(
  app: FastifyInstance,
  { smallBytes, maxWaitingBytes }: { smallBytes: number; maxWaitingBytes: number },
): void {
  let last = Promise.resolve();
  let waitingBytes = 0;
  app.addHook('preParsing', async (request, reply, payload) => {
    const limit = request.routeOptions.bodyLimit ?? 0;
    // A body that is sent in chunks has no `content-length`, so it counts as the largest body that the route accepts.
    const isChunked = request.headers['transfer-encoding'] !== undefined;
    const length = isChunked ? limit : Number(request.headers['content-length'] ?? 0);
    if (limit <= smallBytes || length <= smallBytes || length > limit) return payload;
    if (waitingBytes + length > maxWaitingBytes)
      throw new AppError('unavailable', 'Too many files are being uploaded. Please try again in a minute.');
    waitingBytes += length;
    const body = { isRead: false, isFreed: false };
    const free = () => {
      if (!body.isFreed) waitingBytes -= length;
      body.isFreed = true;
    };
    // Frees the bytes of a request that was refused before its body was read. If the body is being read, it needs its
    // memory even after the client has closed the connection, so `hold` frees the bytes.
    reply.raw.once('close', () => {
      if (!body.isRead) free();
    });
    async function* hold() {
      body.isRead = true;
      try {
        yield* holdBody(request, payload, length);
      } finally {
        free();
      }
    }
    return Readable.from(hold(), { objectMode: false });
  });
  app.addHook('preValidation', (request, _reply, done) => {
    turns.get(request)?.forgetBody();
    done();
  });
  app.addHook('onSend', (request, _reply, _payload, done) => {
    endTurn(request);
    done();
  });

  async function* holdBody(request: FastifyRequest, payload: RequestPayload, length: number) {
    const body = new Uint8Array(length);
    let bytes = 0;
    for await (const chunk of payload) {
      // Fastify refuses a longer `content-length` first, so this happens only to a body that is sent in chunks.
      if (bytes + chunk.length > length) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      body.set(chunk, bytes);
      bytes += chunk.length;
    }
    const before = last;
    const turn = Promise.withResolvers<void>();
    last = before.then(() => turn.promise);
    // `transfer` frees the memory of the parsed body at once; the garbage collection could run much later.
    turns.set(request, { forgetBody: () => body.buffer.transfer(0), end: turn.resolve });
    await before;
    yield Buffer.from(body.buffer, 0, bytes);
  }
}

/** Lets the next upload start. Called when the file of this request is stored. */
export function endTurn(request: FastifyRequest): void {
  turns.get(request)?.end();
}
