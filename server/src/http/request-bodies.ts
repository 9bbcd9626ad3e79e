// How the bodies of requests arrive: closes connections whose body arrives too slowly, and lets the uploads of large files
// take turns.

import { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest, type RequestPayload } from 'fastify';
import { AppError } from '../app-error.ts';

/**
 * Closes the connection if the body of a request has not arrived `patienceMs` after its headers.
 * Exception: routes that accept a body larger than `bodyLimitBytes`. On these routes, the limit no longer applies after
 * the `onRequest` hooks have authenticated the caller. The only time limit is then Fastify's `requestTimeout`.
 */
export function limitArrival(
  app: FastifyInstance,
  { patienceMs, bodyLimitBytes }: { patienceMs: number; bodyLimitBytes: number },
): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined)
      return done();
    // Tests can inject requests without a connection. The property `complete` of such a request is undefined. The limit
    // does not apply to these requests.
    if (raw.complete !== false) return done();
    const timer = setTimeout(() => {
      // Fastify handles the event `clientError`: it responds with 408 and closes the connection.
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
 * Makes each upload wait, with its body unparsed, until the turns of the earlier ones have ended. A turn ends with
 * `endTurn`, at the latest when the response is sent. Bodies of at most `smallBytes` do not wait. Nobody waits for a
 * body that is still arriving, because a slow one takes minutes.
 *
 * The bodies that wait or arrive have at most `maxWaitingBytes` together, so that memory suffices. A further upload is
 * refused with `unavailable`.
 */
export function takeTurns(
  app: FastifyInstance,
  { smallBytes, maxWaitingBytes }: { smallBytes: number; maxWaitingBytes: number },
): void {
  let last = Promise.resolve();
  let waitingBytes = 0;
  app.addHook('preParsing', async (request, reply, payload) => {
    const limit = request.routeOptions.bodyLimit ?? 0;
    // A body that is sent in chunks has no length. It counts with the largest that it may have.
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
    // For a request that is refused before its body is read. A body that is being read keeps its memory, even if the client
    // has closed the connection.
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
      // Only a body that is sent in chunks can be longer than its limit.
      if (bytes + chunk.length > length) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      body.set(chunk, bytes);
      bytes += chunk.length;
    }
    const before = last;
    const turn = Promise.withResolvers<void>();
    last = before.then(() => turn.promise);
    // When the body is parsed, `transfer` frees its memory at once. Garbage collection could be much later.
    turns.set(request, { forgetBody: () => body.buffer.transfer(0), end: turn.resolve });
    await before;
    yield Buffer.from(body.buffer, 0, bytes);
  }
}

/** Lets the next upload begin, because the file of this request is stored. */
export function endTurn(request: FastifyRequest): void {
  turns.get(request)?.end();
}
