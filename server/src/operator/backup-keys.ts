// Reads the passphrase and the keys that encrypt and decrypt backups, and creates key files.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import {
  BackupError,
  type BackupKeys,
  createKeyPair,
  type Encryption,
  encryptForRecipients,
  encryptWithPassphrase,
  isIdentity,
} from '../backup/encryption.ts';
import { readCallerFolder } from '../config.ts';
import { OperatorError } from './command.ts';

/** `decryptedBy` says in the report to the operator what decrypts the backup: a passphrase, or a secret key. */
export type NamedEncryption = Encryption & { decryptedBy: string };

const MIN_PASSPHRASE = 12;
const SECRET_KEY = /^AGE-SECRET-KEY-/i;

/**
 * Returns the encryption of a backup. `to` is a public key, such as age1…, or a file with one public key per line.
 * Without `to`, the backup is encrypted with the passphrase `configured` (the setting BACKUP_PASSPHRASE). If
 * `configured` is null, the operator types the passphrase twice.
 * @throws OperatorError if the passphrase is missing or too short, or a public key is invalid.
 */
export async function readEncryption(
  configured: string | null,
  to: string | undefined,
): Promise<NamedEncryption> {
  if (to !== undefined) return readRecipients(to);
  const passphrase = configured ?? (await promptForNewPassphrase());
  if ([...passphrase].length < MIN_PASSPHRASE)
    throw new OperatorError(`The passphrase needs at least ${MIN_PASSPHRASE} characters.`);
  return { ...encryptWithPassphrase(passphrase), decryptedBy: 'the passphrase' };
}

/**
 * Returns the secrets that decrypt the backup `file`. The passphrase is `configured` (BACKUP_PASSPHRASE); if that is
 * null, the operator types the passphrase. `keyFile` is a file with one secret key per line. The operator types the
 * passphrase at most once, and `keyFile` is read at most once, because a restore reads the backup twice.
 */
export function readKeys(
  configured: string | null,
  { file, keyFile }: { file: string; keyFile: string | undefined },
): BackupKeys {
  let passphrase: Promise<string> | undefined;
  let identities: Promise<string[]> | undefined;
  return {
    passphrase: () =>
      (passphrase ??= configured === null ? promptForPassphrase(file) : Promise.resolve(configured)),
    identities: () => (identities ??= readIdentities(file, keyFile)),
  };
}

/**
 * Creates a pair of keys and writes the secret key to the new file `file`, in the format of `age-keygen`. Returns a
 * report with the public key.
 * @throws OperatorError if the file exists or cannot be written.
 */
export async function createKeyFile(file: string, now: Date): Promise<string> {
  const { identity, recipient } = await createKeyPair();
  const text = `# created: ${now.toISOString()}\n# public key: ${recipient}\n${identity}\n`;
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true }).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written (${String(error)}).`);
  });
  return [
    `Public key: ${recipient}`,
    `${file} has the secret key. Move it away from this machine: script/portal backup --encrypt --to needs the public key`,
    'only. Keep two copies: if the secret key is lost, nobody can restore the backups.',
  ].join('\n');
}

async function promptForNewPassphrase(): Promise<string> {
  const prompts = ['Passphrase for the backup: ', 'The same passphrase again: '];
  const [passphrase = '', again] = await promptForSecrets(prompts);
  if (passphrase !== again) throw new OperatorError('The two passphrases differ. Nothing was written.');
  return passphrase;
}

async function promptForPassphrase(file: string): Promise<string> {
  const [passphrase = ''] = await promptForSecrets([`Passphrase of ${file}: `]);
  return passphrase;
}

async function readRecipients(to: string): Promise<NamedEncryption> {
  const recipients = to.startsWith('age1') ? [to] : await readKeyLines('--to', to);
  // The message does not contain the key, because messages may be logged.
  if (recipients.some((recipient) => SECRET_KEY.test(recipient)))
    throw new OperatorError(
      `--to needs public keys, and ${to} has a secret key. Its public key stands in it after "# public key:".`,
    );
  try {
    const secret = recipients.length === 1 ? 'the secret key' : 'one of the secret keys';
    return { ...encryptForRecipients(recipients), decryptedBy: `${secret} of ${recipients.join(', ')}` };
  } catch (error) {
    throw new OperatorError(
      `--to ${to} is no public key and no file with one public key a line (${String(error)}). script/portal backup-key makes a pair of keys.`,
    );
  }
}

async function readIdentities(file: string, keyFile: string | undefined): Promise<string[]> {
  if (keyFile === undefined)
    throw new BackupError(
      `${file} is encrypted for a public key. Name the file with the secret key: --key <file>. Nothing was written.`,
    );
  const identities = await readKeyLines('--key', keyFile);
  if (!identities.every(isIdentity))
    throw new OperatorError(
      `--key ${keyFile} has a line that is no secret key, such as AGE-SECRET-KEY-1… Nothing was written.`,
    );
  return identities;
}

// Returns the lines of a key file, without blank lines and comments. `path` is relative to the folder in which the
// operator called script/portal. `option` is the name of the option for error messages.
async function readKeyLines(option: string, path: string): Promise<string[]> {
  if (path === '') throw new OperatorError(`${option} needs a value.`);
  const text = await readFile(resolve(readCallerFolder(), path), 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${option} ${path} cannot be read (${String(error)}).`);
  });
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new OperatorError(`${option} ${path} has no key.`);
  return lines;
}

// Prints each of `prompts` to standard error, and returns the lines that the operator types on the terminal. The
// terminal does not show the typed characters.
async function promptForSecrets(prompts: readonly string[]): Promise<string[]> {
  if (!process.stdin.isTTY)
    throw new OperatorError(
      'A passphrase is needed, and there is no terminal to type it. Set BACKUP_PASSPHRASE. Nothing was written.',
    );
  // In terminal mode, readline disables the terminal's echo, and writes the typed characters to `output` instead.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    const typed: string[] = [];
    for (const prompt of prompts) {
      process.stderr.write(prompt);
      const { value, done } = await lines.next();
      process.stderr.write('\n');
      // Ctrl-C and Ctrl-D end the input.
      if (done) throw new OperatorError('No passphrase was typed. Nothing was written.');
      typed.push(value);
    }
    return typed;
  } finally {
    terminal.close();
  }
}
