// Compresses a page on the first request that accepts the encoding, and keeps the compressed copy.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS = { br: (html: Buffer) => brotliCompressSync(html, BROTLI), gzip: gzipSync };

/**
 * A page with its compressed copies. `html` is uncompressed. `etag` is a weak entity tag, the same for all encodings.
 * `encode` returns the compressed page.
 */
export type EncodedPage = { html: Buffer; etag: string; encode(encoding: keyof typeof COMPRESS): Buffer };

export function encodePage(text: string): EncodedPage {
  const html = Buffer.from(text);
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  const encoded = new Map<string, Buffer>();
  const encode: EncodedPage['encode'] = (encoding) => {
    const bytes = encoded.get(encoding) ?? COMPRESS[encoding](html);
    encoded.set(encoding, bytes);
    return bytes;
  };
  return { html, etag: `W/"${hash}"`, encode };
}
