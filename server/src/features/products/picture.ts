// Reads type and size of a picture from its bytes, and checks that the picture is whole and that nothing follows its end. Does
// not decode the pixels: the server never draws a picture.
import { crc32 } from 'node:zlib';
import type { LogoType } from '@portal/contract';

export type Picture = { media_type: LogoType; width: number; height: number };

/** Thrown for bytes that are no picture. The message names the fault, and is for the person who sent the bytes. */
export class PictureError extends Error {
  override name = 'PictureError';
}

const DAMAGED = 'The picture is damaged or incomplete';
const FOLLOWED = 'The picture must end with its last byte: other data follows it';
const ANIMATED = 'The picture must not move';

/** @throws PictureError if the bytes are no whole PNG, JPEG or WebP, the picture moves, or other data follows its end. */
export function readPicture(bytes: Buffer): Picture {
  try {
    if (bytes.subarray(0, 8).equals(PNG)) return { media_type: 'image/png', ...readPng(bytes) };
    if (bytes.subarray(0, 3).equals(JPEG)) return { media_type: 'image/jpeg', ...readJpeg(bytes) };
    if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
      return { media_type: 'image/webp', ...readWebp(bytes) };
  } catch (error) {
    // A read behind the last byte: the picture is shorter than it says.
    if (error instanceof RangeError) throw new PictureError(DAMAGED, { cause: error });
    throw error;
  }
  throw new PictureError('The file is no PNG, JPEG or WebP picture');
}

type Size = Omit<Picture, 'media_type'>;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

// PNG, 5.3: chunks of length, type, data and CRC, from IHDR to IEND.
function readPng(bytes: Buffer): Size {
  let size: Size | null = null;
  let hasPixels = false;
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4)))
      throw new PictureError(DAMAGED);
    if ((size === null) !== (type === 'IHDR')) throw new PictureError(DAMAGED);
    size ??= { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (type === 'acTL') throw new PictureError(ANIMATED);
    if (type === 'IDAT') hasPixels = true;
    if (type === 'IEND') return endAt(end, bytes, hasPixels ? size : null);
    at = end;
  }
}

// JPEG, B.1: segments that begin with a marker, from SOI to EOI. Coded pixels follow each SOS.
function readJpeg(bytes: Buffer): Size {
  let size: Size | null = null;
  let hasPixels = false;
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) throw new PictureError(DAMAGED);
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xd9) return endAt(at + 2, bytes, hasPixels ? size : null);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isStartOfFrame(marker)) {
      if (size !== null) throw new PictureError(DAMAGED);
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0x00 || length < 2) throw new PictureError(DAMAGED);
    at += 2 + length;
    if (marker !== 0xda) continue;
    hasPixels = true;
    at = findMarker(bytes, at);
  }
}

const isStartOfFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Returns the place of the first marker from `at` on that is no part of the coded pixels (FF 00, and restarts). */
function findMarker(bytes: Buffer, at: number): number {
  for (let place = bytes.indexOf(0xff, at); place !== -1; place = bytes.indexOf(0xff, place + 1)) {
    const next = bytes.readUInt8(place + 1);
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return place;
  }
  throw new PictureError(DAMAGED);
}

// WebP, RFC 9649: one RIFF with chunks of type, length and data, padded to an even length.
function readWebp(bytes: Buffer): Size {
  const end = 8 + bytes.readUInt32LE(4);
  if (end < bytes.length) throw new PictureError(FOLLOWED);
  if (end > bytes.length) throw new PictureError(DAMAGED);
  let canvas: Size | null = null;
  let pixels: Size | null = null;
  for (let at = 12; at < end; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const data = at + 8;
    const next = data + bytes.readUInt32LE(at + 4);
    if (next > end) throw new PictureError(DAMAGED);
    if (type === 'ANIM' || type === 'ANMF') throw new PictureError(ANIMATED);
    if (type === 'VP8X')
      canvas = { width: 1 + bytes.readUIntLE(data + 4, 3), height: 1 + bytes.readUIntLE(data + 7, 3) };
    if (type === 'VP8 ' || type === 'VP8L') {
      if (pixels !== null) throw new PictureError(DAMAGED);
      pixels = type === 'VP8 ' ? readLossy(bytes, data) : readLossless(bytes, data);
    }
    at = next + (next % 2);
  }
  const isOther = canvas !== null && (canvas.width !== pixels?.width || canvas.height !== pixels.height);
  return endAt(end, bytes, isOther ? null : pixels);
}

function readLossy(bytes: Buffer, data: number): Size {
  // A key frame, then the start code; the two upper bits of each side are a scale for the screen.
  const isKey = (bytes.readUInt8(data) & 1) === 0 && bytes.readUIntBE(data + 3, 3) === 0x9d012a;
  if (!isKey) throw new PictureError(DAMAGED);
  return { width: bytes.readUInt16LE(data + 6) & 0x3fff, height: bytes.readUInt16LE(data + 8) & 0x3fff };
}

function readLossless(bytes: Buffer, data: number): Size {
  if (bytes.readUInt8(data) !== 0x2f) throw new PictureError(DAMAGED);
  const sides = bytes.readUInt32LE(data + 1);
  return { width: 1 + (sides & 0x3fff), height: 1 + ((sides >>> 14) & 0x3fff) };
}

/** Returns the size of the picture that ends at `end`. `size` is null if a part of the picture is missing. */
function endAt(end: number, bytes: Buffer, size: Size | null): Size {
  if (end > bytes.length || size === null) throw new PictureError(DAMAGED);
  if (end < bytes.length) throw new PictureError(FOLLOWED);
  return size;
}
