// Refresh tokens in the second format of Supabase Auth. A token is derived from its session and a counter, so the
// database stores no tokens.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

// Layout in bytes: version 1, session id 16, counter 6, HMAC 16 (first half of HMAC-SHA-256), CRC-32 4.
const VERSION = 2;
const SESSION_AT = 1;
const COUNTER_AT = 17;
const COUNTER_BYTES = 6;
const MAC_AT = COUNTER_AT + COUNTER_BYTES;
const MAC_BYTES = 16;
const CHECKSUM_AT = MAC_AT + MAC_BYTES;
const TOKEN_BYTES = CHECKSUM_AT + 4;

export type RefreshToken = { session_id: string; counter: number };

/**
 * Returns the refresh token for a session and a counter. The same input gives the same token, so the current token can
 * be sent again.
 */
export function writeRefreshToken(refreshKey: Buffer, { session_id, counter }: RefreshToken): string {
  const bytes = Buffer.alloc(TOKEN_BYTES);
  bytes.writeUInt8(VERSION);
  Buffer.from(session_id.replaceAll('-', ''), 'hex').copy(bytes, SESSION_AT);
  bytes.writeUIntBE(counter, COUNTER_AT, COUNTER_BYTES);
  signHead(refreshKey, bytes).copy(bytes, MAC_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes.toString('base64url');
}

/**
 * Returns the session and counter in a token. Returns 'malformed' for a wrong format, and 'forged' if another key
 * signed the token.
 */
export function readRefreshToken(refreshKey: Buffer, token: string): RefreshToken | 'malformed' | 'forged' {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return 'malformed';
  if (bytes.readUInt8() !== VERSION) return 'malformed';
  if (bytes.readUInt32BE(CHECKSUM_AT) !== crc32(bytes.subarray(0, CHECKSUM_AT))) return 'malformed';
  if (!timingSafeEqual(signHead(refreshKey, bytes), bytes.subarray(MAC_AT, CHECKSUM_AT))) return 'forged';
  const id = bytes.toString('hex', SESSION_AT, COUNTER_AT);
  return {
    session_id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: bytes.readUIntBE(COUNTER_AT, COUNTER_BYTES),
  };
}

function signHead(refreshKey: Buffer, bytes: Buffer): Buffer {
  const sessionKey = createHmac('sha256', refreshKey).update(bytes.subarray(SESSION_AT, COUNTER_AT)).digest();
  return createHmac('sha256', sessionKey).update(bytes.subarray(0, MAC_AT)).digest().subarray(0, MAC_BYTES);
}
