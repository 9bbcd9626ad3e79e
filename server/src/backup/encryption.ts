// Encrypts and decrypts backup files in the format of the program `age` (age-encryption.org/v1).
import { ReadableStream as NodeStream } from 'node:stream/web';
import {
  Decrypter,
  Encrypter,
  generateX25519Identity,
  type Identity,
  identityToRecipient,
} from 'age-encryption';

/** Thrown if a backup cannot be written, read or restored. The message has the reason and what to do. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** Returns the error for a file that is damaged or incomplete. `fault` is the reason. */
export function damaged(file: string, fault: string): BackupError {
  return new BackupError(`${file} is damaged or not whole: ${fault}. Nothing was changed. Use another file.`);
}

type Bytes = AsyncIterable<Uint8Array>;

/**
 * The secrets that decrypt a backup. Each function is called only if the file needs it: `passphrase` for a file
 * encrypted with a passphrase, `identities` (secret keys) for a file encrypted for public keys.
 */
export type BackupKeys = {
  passphrase(): Promise<string>;
  identities(): Promise<(string | Identity)[]>;
};

/** `encrypt` encrypts a stream; `keys` decrypt the result, so that the new file can be read back. */
export type Encryption = { encrypt: (plain: Bytes) => Bytes; keys: BackupKeys };

const VERSION_LINE = 'age-encryption.org/v1\n';
// The beginning of a file encrypted with a passphrase, which is the only entry of the header then.
const PASSPHRASE_HEADER = `${VERSION_LINE}-> scrypt `;

/** Encrypts with a passphrase. */
export function encryptWithPassphrase(passphrase: string): Encryption {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  const keys = { passphrase: async () => passphrase, identities: async () => [] };
  return { encrypt: (plain) => encryptStream(encrypter, plain), keys };
}

/**
 * Encrypts for public keys, such as `age1…`. Each one of their secret keys can decrypt the file.
 * @throws Error if one of `recipients` is not a public key.
 */
export function encryptForRecipients(recipients: readonly string[]): Encryption {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  // Keeps the random key of the file's content in memory, so that this process can read back the new file without a
  // secret key. `wrapFileKey` returns no entry, so this copy of the key is not in the header.
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

/** Returns a new pair of keys, as `age-keygen` does: `identity` is the secret key, `recipient` the public key. */
export async function createKeyPair(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Returns whether the text is a secret key that `decryptIfEncrypted` can use. */
export function isIdentity(text: string): boolean {
  try {
    new Decrypter().addIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Yields the content of `source`, the bytes of the file `file`. Decrypts an encrypted file with `keys`, and yields each
 * part only after it was authenticated.
 * @throws BackupError if `keys` do not decrypt the file, or the file was altered or cut off. The error of a file that
 * was cut off comes after all existing parts.
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
  // Casts, because the types of this class in Node and in browsers differ, and the browser tests check this file too.
  return NodeStream.from(source) as ReadableStream<Uint8Array>;
}

// `head` is the first `length` bytes of `source` as text, or fewer if the source is shorter. `all` yields all bytes.
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
  // The library has no error classes. Errors of the file system have a code; errors of the library have none.
  if (!(error instanceof Error) || 'code' in error) return error;
  if (error.message === "no identity matched any of the file's recipients") {
    const key = byPassphrase ? 'this passphrase' : 'a secret key in this key file';
    // The message cannot be more exact, because the entries of the header have no checksum.
    const fault = `Either it is the wrong one, or the beginning of the file was altered`;
    return new BackupError(`${file} cannot be decrypted with ${key}. ${fault}. Nothing was written.`);
  }
  return damaged(file, 'its encrypted content was altered or cut off');
}
