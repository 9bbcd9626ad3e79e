// Prompts for secrets on the terminal. The terminal does not show the typed characters.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from './command.ts';

/**
 * Prints each of `prompts` to standard error and reads a line for it. Returns the lines. Returns null if standard input
 * is not a terminal.
 * @throws OperatorError if the operator presses Ctrl-C or Ctrl-D.
 */
export async function promptForSecrets(prompts: readonly string[]): Promise<string[] | null> {
  if (!process.stdin.isTTY) return null;
  // In terminal mode, readline turns the terminal's echo off and writes the typed characters to `output`.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    const typed: string[] = [];
    for (const prompt of prompts) {
      process.stderr.write(prompt);
      const { value, done } = await lines.next();
      process.stderr.write('\n');
      if (done) throw new OperatorError('No passphrase was typed. Nothing was written.');
      typed.push(value);
    }
    return typed;
  } finally {
    terminal.close();
  }
}
