// Tests what the portal accepts as a picture.
import { expect, test } from 'vitest';
import { makePng, pngChunk, SAMPLES, sample } from '../../../test/pictures.ts';
import { readPicture } from './picture.ts';

const HTML = Buffer.from('<html><script>alert(1)</script></html>');
const DAMAGED = 'The picture is damaged or incomplete';
const FOLLOWED = 'The picture must end with its last byte: other data follows it';

const names = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];
const pictures = new Map([
  ['png', makePng({ width: 32, height: 40 })],
  ...names.map((name) => [name, sample(name)] as const),
]);

test.each([...pictures])(
  'R-CAT-01: type and size of a picture are read from its bytes: %s',
  (name, bytes) => {
    const type = { png: 'png', jpeg: 'jpeg', progressive: 'jpeg' }[name] ?? 'webp';
    expect(readPicture(bytes)).toEqual({ media_type: `image/${type}`, width: 32, height: 40 });
  },
);

test.each([...pictures])('R-CAT-01: a picture that is cut anywhere is refused: %s', (_name, bytes) => {
  for (let length = 12; length < bytes.length; length += 1)
    expect(() => readPicture(bytes.subarray(0, length)), `${length} bytes`).toThrow(DAMAGED);
});

test.each([...pictures])('R-CAT-01: a picture with data behind its end is refused: %s', (_name, bytes) => {
  for (const more of [HTML, Buffer.from('PK\x03\x04'), Buffer.alloc(1)])
    expect(() => readPicture(Buffer.concat([bytes, more]))).toThrow(FOLLOWED);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['HTML', HTML],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['GIF', Buffer.from('GIF89a@\0@\0')],
  ['PDF', Buffer.from('%PDF-1.7')],
  ['the first bytes of a RIFF that is no picture', Buffer.from('RIFF\x04\0\0\0WAVE')],
])('R-CAT-01: %s is no picture', (_name, bytes) => {
  expect(() => readPicture(bytes)).toThrow('The file is no PNG, JPEG or WebP picture');
});

test('R-CAT-01: a PNG with HTML behind its signature, without pixels or with a wrong checksum is refused', () => {
  const png = makePng();
  const wrong: Buffer = Buffer.from(png);
  wrong.writeUInt8(wrong.readUInt8(45) ^ 1, 45);
  const signature = png.subarray(0, 8);
  const end = pngChunk('IEND', Buffer.alloc(0));
  const all: Buffer[] = [
    wrong,
    Buffer.concat([signature, HTML]),
    Buffer.concat([png.subarray(0, 33), end]),
    Buffer.concat([signature, pngChunk('IDAT', HTML), end]),
  ];
  for (const bytes of all) expect(() => readPicture(bytes)).toThrow(DAMAGED);
});

test('R-CAT-01: a picture that moves is refused', () => {
  expect(() => readPicture(makePng({ more: pngChunk('acTL', Buffer.alloc(8)) }))).toThrow('must not move');
  const chunk = Buffer.from('ANIM\x06\0\0\0\0\0\0\0\0\0', 'latin1');
  const webp = Buffer.concat([sample('transparent'), chunk]);
  webp.writeUInt32LE(webp.length - 8, 4);
  expect(() => readPicture(webp)).toThrow('must not move');
});

test('R-CAT-01: the two sizes that a WebP names must agree', () => {
  const webp = sample('transparent');
  webp.writeUIntLE(9_999, 24, 3);
  expect(() => readPicture(webp)).toThrow(DAMAGED);
});

test('R-CAT-01: bytes that follow the first ones of a picture by chance never end in another error', () => {
  let seed = 20_261_128;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed;
  };
  for (const bytes of pictures.values())
    for (let round = 0; round < 300; round += 1) {
      const changed = Buffer.from(bytes);
      for (let change = 0; change < 4; change += 1) changed[next() % changed.length] = next() % 256;
      try {
        readPicture(changed);
      } catch (error) {
        expect(error).toMatchObject({ name: 'PictureError' });
      }
    }
});
