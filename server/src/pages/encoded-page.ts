// A page as it is sent: its bytes, compressed when somebody first asks for that, and its fingerprint.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

export type EncodedPage = {
  html: Buffer;
  /** Says whether a browser has this page already; the same for all encodings. */
  etag: string;
  encode(encoding: Encoding): Buffer;
};

/** Takes a tenth of the time of the best quality, and little more room. */
const BROTLI_QUALITY = 5;

export function makeEncodedPage(text: string): EncodedPage {
  const html = Buffer.from(text);
  const etag = `W/"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  const encoded = new Map<Encoding, Buffer>();
  const encode = (encoding: Encoding): Buffer => {
    const bytes = encoded.get(encoding) ?? compress(html, encoding);
    encoded.set(encoding, bytes);
    return bytes;
  };
  return { html, etag, encode };
}

function compress(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(bytes);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}
