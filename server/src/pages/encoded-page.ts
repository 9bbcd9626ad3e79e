// A page as it is sent: its bytes, compressed when somebody first asks for that, and its fingerprint.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

export type EncodedPage = {
  html: Buffer;
  /** Says whether a browser has this page already; the same for all encodings. */
  etag: string;
  encode(encoding: Encoding): Buffer;
};

/** A page in five milliseconds. The best takes a hundred, and brings home into what TCP sends before it waits for an answer. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

const compressBeside = promisify(brotliCompress);
/** One at a time: the threads on which this is done also read files. */
let work: Promise<unknown> = Promise.resolve();

export function makeEncodedPage(text: string): EncodedPage {
  const html = Buffer.from(text);
  const etag = `W/"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  const encoded = new Map<Encoding, Buffer>();
  let improves = false;
  // From the second visit on: a page that nobody comes back to is not worth it.
  const improve = () => {
    if (improves) return;
    improves = true;
    const compress = async () => encoded.set('br', await compressBeside(html, BEST));
    // Without it the quick one stays.
    work = work.then(compress).catch(() => undefined);
  };
  const encode = (encoding: Encoding): Buffer => {
    const known = encoded.get(encoding);
    if (known && encoding === 'br') improve();
    if (known) return known;
    const bytes = encoding === 'gzip' ? gzipSync(html) : brotliCompressSync(html, QUICK);
    encoded.set(encoding, bytes);
    return bytes;
  };
  return { html, etag, encode };
}
