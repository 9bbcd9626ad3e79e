// Encrypts and decrypts backup files in the format of the program `age` (age-encryption.org/v1).
import { ReadableStream as NodeStream } from 'node:stream/web';
import {
  Decrypter,
  Encrypter,
  generateX25519Identity,
  type Identity,
  identityToRecipient,
} from 'age-encryption';

/**
 * Thrown if a backup cannot be written, read or restored. The message has the reason and the advice for the operator.
 */
export class BackupError extends Error {
  override name = 'BackupError';
}

export function damaged(file: string, fault: string): BackupError {
  return new BackupError(`${file} is damaged or not whole: ${fault}. Nothing was changed. Use another file.`);
}

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Functions that return the secrets of an encrypted backup. `passphrase` is called for a file encrypted with a
 * passphrase, and `identities` (secret keys) for a file encrypted for public keys. Neither is called for a file without
 * encryption.
 */
export type BackupKeys = { passphrase(): Promise<string>; identities(): Promise<(string | Identity)[]> };

/** `encrypt` encrypts a stream. `keys` decrypt the encrypted file, which is read back after it was written. */
export type Encryption = { encrypt: (plain: Bytes) => Bytes; keys: BackupKeys };

const VERSION_LINE = 'age-encryption.org/v1\n';
// The beginning of a file encrypted with a passphrase. The header of such a file has only this one entry.
const PASSPHRASE_HEADER = `${VERSION_LINE}-> scrypt `;

export function encryptWithPassphrase(passphrase: string): Encryption {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  const keys = { passphrase: async () => passphrase, identities: async () => [] };
  return { encrypt: (plain) => encryptStream(encrypter, plain), keys };
}

/**
 * Encrypts for public keys, such as `age1…`. Each of the matching secret keys can decrypt the file.
 * @throws Error if one of `recipients` is not a public key.
 */
export function encryptForRecipients(recipients: readonly string[]): Encryption {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  // Stores the random key of the file's content in memory, so that this process can read back the new file without a
  // secret key. `wrapFileKey` returns no entry for the header, so the file does not contain this copy of the key.
  let fileKey: Uint8Array | null = null;
  encrypter.addRecipient({
    wrapFileKey: (key) => {
      fileKey = key.slice();
      return [];
    },
  });
  const keys = { passphrase: async () => '', identities: async () => [{ unwrapFileKey: () => fileKey }] };
  return { encrypt: (plain) => encryptStream(encrypter, plain), keys };
}

/** Returns a new pair of keys, like `age-keygen`: `identity` is the secret key, and `recipient` is the public key. */
export async function createKeyPair(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** True if the text is a secret key, such as AGE-SECRET-KEY-1…. */
export function isIdentity(text: string): boolean {
  try {
    new Decrypter().addIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Yields `source`, the bytes of the file `file`, decrypted if the file is encrypted. Decrypted bytes are yielded only
 * after they were authenticated.
 * @throws BackupError if `keys` do not decrypt the file, or the file was altered or cut off. If the file was cut off,
 * throws after the last existing bytes.
 */
export async function* decryptIfEncrypted(
  file: string,
  source: Bytes,
  keys: BackupKeys,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, PASSPHRASE_HEADER.length);
  if (!head.startsWith(VERSION_LINE)) {
    yield* all;
    return;
  }
  const decrypter = new Decrypter();
  const byPassphrase = head === PASSPHRASE_HEADER;
  if (byPassphrase) decrypter.addPassphrase(await keys.passphrase());
  else for (const identity of await keys.identities()) decrypter.addIdentity(identity);
  try {
    yield* await decrypter.decrypt(toWebStream(all));
  } catch (error) {
    throw describeFault(file, byPassphrase, error);
  }
}

async function* encryptStream(encrypter: Encrypter, plain: Bytes): AsyncGenerator<Uint8Array> {
  yield* await encrypter.encrypt(toWebStream(plain));
}

function toWebStream(source: Bytes): ReadableStream<Uint8Array> {
  // Cast, because Node and browsers have different types for this class, and the browser tests also compile this file.
  return NodeStream.from(source) as ReadableStream<Uint8Array>;
}

// Reads ahead. `head` is the first `length` bytes of `source` as text, or all if there are fewer. `all` yields all
// bytes of `source`, those of `head` included.
async function peek(source: Bytes, length: number): Promise<{ head: string; all: Bytes }> {
  const chunks = source[Symbol.asyncIterator]();
  let begin = Buffer.alloc(0);
  while (begin.length < length) {
    const { value, done } = await chunks.next();
    if (done) break;
    begin = Buffer.concat([begin, value]);
  }
  async function* readAll() {
    yield begin;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { head: begin.toString('latin1', 0, length), all: readAll() };
}

function describeFault(file: string, byPassphrase: boolean, error: unknown): unknown {
  // The library age-encryption has no error classes. Errors of the file system have a code; errors of the library do
  // not.
  if (!(error instanceof Error) || 'code' in error) return error;
  if (error.message === "no identity matched any of the file's recipients") {
    const key = byPassphrase ? 'this passphrase' : 'a secret key in this key file';
    // A wrong key and an altered header cause the same error, because the entries of the header have no checksum.
    const fault = `Either it is the wrong one, or the beginning of the file was altered`;
    return new BackupError(`${file} cannot be decrypted with ${key}. ${fault}. Nothing was written.`);
  }
  return damaged(file, 'its encrypted content was altered or cut off');
}
