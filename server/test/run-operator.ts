// Runs the operator's command-line tool (server/src/operator.ts) in its own process, as script/portal does.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { SPAWN_ENV } from './spawn-env.ts';

const OPERATOR = resolve(import.meta.dirname, '../src/operator.ts');

/**
 * Runs the tool in the folder `cwd`, which should contain no .env file. If the exit status is not 0, rejects with an
 * error. The error has the fields `code` (the exit status), `stdout` and `stderr`.
 */
export function runOperator(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [OPERATOR, ...args], { cwd, env: { ...SPAWN_ENV, ...env } });
}
