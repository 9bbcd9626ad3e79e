// Tests the encryption of backup files: samples of the program `age`, altered and truncated files, and backpressure.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  type BackupKeys,
  createKeyPair,
  decryptIfEncrypted,
  encryptForRecipients,
  encryptWithPassphrase,
} from './encryption.ts';

// Made with age 1.1.1: `age -r` and `age -p` of the text 'made by age\n'.
const AGE_SAMPLES: [string, Partial<BackupKeys>][] = [
  [
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBiVXY4Qmdxc0xpTmtHbEhnQW5TTVRzWGk0UHRBcW54Um1vRFZzVDVMalZBCjRzYUM1QitLZThWTjc2YUVPZmJIK29LSTVoajFmUkYza2dOREtER3NQWEkKLS0tIGtlaTIrVXBlbWJnc0JXRzM1NS90cFNUa3BPS2Mvd00yUGx1T2FlY0JkaU0KPFVPkIJoxPWRQzz75ywsm4z3DDosXIQCOWKeGflsICy6pYd/76JiokoBgC0=',
    {
      identities: async () => ['AGE-SECRET-KEY-1DW9L6WAN2XZJ7PLUHH4GZQNPARLCNYU2RQ526G8L0TYXYQCM9MHQZVZSX3'],
    },
  ],
  [
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCB3MjV0YWV6NnY1Mi9lSmUyU2xnOStnIDE4CkJ4TkJqVlVVSURyMjhuRDhUMFBjRldpdW5lVGcxdVJiK3BNSWNycEhqWVkKLS0tIHlmcHNNQzQ4TzRFcW1JL0NqcVlZd05KeW52MW1RbnpFWUZSWExjMFlDSEkKtm11rsPeaOOZncNLNBNHxWJ1bOLj6ijTXrGAkcNIkdrSOD1IOn/VQwjzWxU=',
    { passphrase: async () => 'a sample passphrase' },
  ],
];

const NO_KEYS: BackupKeys = {
  passphrase: async () => expect.unreachable('no passphrase is needed'),
  identities: async () => expect.unreachable('no secret key is needed'),
};

// The format encrypts chunks of 64 KiB.
const CHUNK = 65_536;

function decrypt(file: Uint8Array, keys: Partial<BackupKeys>): Promise<Buffer> {
  return buffer(decryptIfEncrypted('the-file', pieces(file), { ...NO_KEYS, ...keys }));
}

/** Yields `bytes` in pieces, the first ones smaller than the header. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0, size = 7; from < bytes.length; from += size, size = Math.min(size * 2, 50_000))
    yield bytes.subarray(from, from + size);
}

test('files of the program age are decrypted', async () => {
  for (const [file, keys] of AGE_SAMPLES)
    expect((await decrypt(Buffer.from(file, 'base64'), keys)).toString()).toBe('made by age\n');
});

test('a file that is not encrypted is passed on, and needs no keys', async () => {
  for (const plain of [Buffer.alloc(0), Buffer.from('age'), randomBytes(3 * CHUNK)])
    expect(await decrypt(plain, {})).toEqual(plain);
});

test('a passphrase encrypts and decrypts, another one is refused', async () => {
  const plain = randomBytes(2 * CHUNK + 1);
  const { encrypt, keys } = encryptWithPassphrase('pässword with spaces');
  const file = await buffer(encrypt(pieces(plain)));
  expect(await decrypt(file, keys)).toEqual(plain);
  await expect(decrypt(file, { passphrase: async () => 'password with spaces' })).rejects.toThrow(
    'the-file cannot be decrypted with this passphrase. Either it is the wrong one, or the beginning',
  );
});

test('each of the public keys decrypts with its secret key, no other key does, and the writer can read back', async () => {
  const [one, two, other] = [await createKeyPair(), await createKeyPair(), await createKeyPair()];
  for (const size of [0, 1, CHUNK, 3 * CHUNK]) {
    const plain = randomBytes(size);
    const { encrypt, keys } = encryptForRecipients([one.recipient, two.recipient]);
    const file = await buffer(encrypt(pieces(plain)));
    expect(file.toString('latin1').match(/^-> /gm)).toHaveLength(2);
    for (const identities of [[one.identity], [other.identity, two.identity]])
      expect(await decrypt(file, { identities: async () => identities })).toEqual(plain);
    expect(await decrypt(file, keys)).toEqual(plain);
    await expect(decrypt(file, { identities: async () => [other.identity] })).rejects.toThrow(
      /cannot be decrypted with a secret key in this key file/,
    );
  }
});

test('an altered or truncated file is refused, wherever it was altered', async () => {
  const { identity, recipient } = await createKeyPair();
  const file = await buffer(encryptForRecipients([recipient]).encrypt(pieces(randomBytes(3 * CHUNK))));
  const keys = { identities: async () => [identity] };
  const header = file.lastIndexOf('\n', file.indexOf('\n--- ') + 60) + 1;
  const places = [22, 40, 100, header - 5, header, header + 16, file.length / 2, file.length - 1];
  for (const at of places.map(Math.floor)) {
    const altered = Buffer.from(file);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    await expect(decrypt(altered, keys), `byte ${at}`).rejects.toThrow(
      /^the-file (is damaged or not whole|cannot be decrypted)/,
    );
  }
  const full = CHUNK + 16;
  const ends = [25, 100, header, header + 10, header + 16, header + 16 + full, header + 16 + 2 * full];
  for (const length of [...ends, file.length - full, file.length - 1]) {
    await expect(decrypt(file.subarray(0, length), keys), `${length} bytes`).rejects.toThrow(
      'the-file is damaged or not whole: its encrypted content was altered or cut off. Nothing was changed.',
    );
  }
});

test('both directions read only as far ahead as the reader takes, and close the source when the reader stops', async () => {
  const { identity, recipient } = await createKeyPair();
  const { encrypt } = encryptForRecipients([recipient]);
  const keys = { ...NO_KEYS, identities: async () => [identity] };
  const plain = count(Buffer.alloc(CHUNK));
  const encrypted = await buffer(
    encryptForRecipients([recipient]).encrypt(pieces(Buffer.alloc(100 * CHUNK))),
  );
  const file = count(...split(encrypted));
  for (const { source, stream } of [
    { source: plain, stream: encrypt(plain.read()) },
    { source: file, stream: decryptIfEncrypted('the-file', file.read(), keys) },
  ]) {
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > 10 * CHUNK) break;
    }
    expect(source.state.pulled).toBeLessThan(30);
    await expect.poll(() => source.state.closed).toBe(true);
  }
});

/** Returns an endless source that repeats `chunks`, and counts the chunks that were read from it. */
function count(...chunks: Uint8Array[]) {
  const state = { pulled: 0, closed: false };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;)
        for (const chunk of chunks) {
          state.pulled += 1;
          yield chunk;
        }
    } finally {
      state.closed = true;
    }
  }
  return { state, read };
}

function split(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, at) =>
    bytes.subarray(at * CHUNK, (at + 1) * CHUNK),
  );
}
