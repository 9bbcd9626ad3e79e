// Small pictures for tests.
import { crc32, deflateSync } from 'node:zlib';

/** Returns a PNG of one colour. `red` makes pictures differ. `more` is added before the last chunk. */
export function makePng({ width = 64, height = 64, red = 0, more = Buffer.alloc(0) as Buffer } = {}): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => [red, 90, 60]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 64) }, () => row)));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([signature, pngChunk('IHDR', head), pngChunk('IDAT', pixels), more, end]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(type), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Pictures of 32 × 40 pixels, each written by ImageMagick. */
export const SAMPLES = {
  jpeg:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdB' +
    'RkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P' +
    'T09PT09PT09PT09PT0//wAARCAAoACADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAA' +
    'AAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAQF/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AoAYSYAAA' +
    'AAAAAAB//9k=',
  progressive:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhl' +
    'bXd7gYKBTmCNl4x9lnN+gXz/wgALCAAoACABAREA/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/9oACAEBAAAAAdUSCUSCUf/E' +
    'ABUQAQEAAAAAAAAAAAAAAAAAAAAS/9oACAEBAAEFAqUpSlKUpSlKUpSlKU//xAAUEAEAAAAAAAAAAAAAAAAAAABA/9oACAEB' +
    'AAY/Aif/xAAUEAEAAAAAAAAAAAAAAAAAAABA/9oACAEBAAE/ISAAAH//2gAIAQEAAAAQDw8P/8QAFRABAQAAAAAAAAAAAAAA' +
    'AAAAAHH/2gAIAQEAAT8QpSlKUpSlKUpSlKUpT//Z',
  lossy:
    'UklGRkYAAABXRUJQVlA4IDoAAAAwAwCdASogACgAPrVYpk6nJSOiJWgA4BaJZwDBkA8KmggAAP62V/62/HP5ryf2GEwPIozO' +
    'z24wAAAA',
  lossless: 'UklGRh4AAABXRUJQVlA4TBEAAAAvH8AJAAdQ1d51pv+BiOh/AAA=',
  transparent:
    'UklGRmgAAABXRUJQVlA4WAoAAAAQAAAAHwAAJwAAQUxQSAoAAAABB1CziAhERP8DVlA4IDgAAADwAgCdASogACgAPtFmrFCo' +
    'JaQipWgBABoJZwAAKUNt8AD+8Bvf//yU/+8r/XduG/vctFGskAAAAA==',
} as const;

export const sample = (name: keyof typeof SAMPLES) => Buffer.from(SAMPLES[name], 'base64');
