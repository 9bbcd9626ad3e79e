// Lets the uploads of large files take turns: a process parses and stores one of them at a time. A file of 64 MB needs
// several times its size in memory until it is stored (R-IMP-27).
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';

const turns = new WeakMap<FastifyRequest, { forgetBody: () => void; end: () => void }>();

/**
 * Makes each upload wait, with its body unparsed, until the turns of the earlier ones have ended. A turn ends with
 * `endTurn`, at the latest when the response is sent. Bodies of at most `bodyLimitBytes` do not wait. Nobody waits for a
 * body that is still arriving, because a slow one takes minutes.
 */
export function takeTurns(app: FastifyInstance, { bodyLimitBytes }: { bodyLimitBytes: number }): void {
  let last = Promise.resolve();
  app.addHook('preParsing', async (request, _reply, payload) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const limit = request.routeOptions.bodyLimit ?? 0;
    if (limit <= bodyLimitBytes || length <= bodyLimitBytes || length > limit) return payload;
    return Readable.from(holdBody(request, payload, length), { objectMode: false });
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
      body.set(chunk, bytes);
      bytes += chunk.length;
    }
    const before = last;
    const turn = Promise.withResolvers<void>();
    last = before.then(() => turn.promise);
    // A transfer frees the memory of the body when it is parsed, instead of at some later collection of garbage.
    turns.set(request, { forgetBody: () => body.buffer.transfer(0), end: turn.resolve });
    await before;
    yield Buffer.from(body.buffer, 0, bytes);
  }
}

/** Lets the next upload begin, because the file of this request is stored. */
export function endTurn(request: FastifyRequest): void {
  turns.get(request)?.end();
}
