// Runs the operator's command-line tool (server/src/operator.ts).
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Config, readConfig } from '../src/config.ts';
import { describeFailure } from '../src/describe-failure.ts';
import { parseCommandLine } from '../src/operator/command-line.ts';
import { localCommands } from '../src/operator/local-commands.ts';
import { SPAWN_ENV } from './spawn-env.ts';

const OPERATOR = resolve(import.meta.dirname, '../src/operator.ts');

/** `input` is typed on standard input. */
type Place = { cwd: string; env: Record<string, string>; input?: string };
type Output = { stdout: string; stderr: string };

/**
 * Runs the tool in its own process, in the folder `cwd`, which should contain no .env file. If the exit status is not 0,
 * rejects with an error with the fields `code` (the exit status), `stdout` and `stderr`.
 */
export function runOperator(args: readonly string[], { cwd, env, input }: Place): Promise<Output> {
  const options = { cwd, env: { ...SPAWN_ENV, ...env } };
  const running = promisify(execFile)(process.execPath, [OPERATOR, ...args], options);
  if (input !== undefined) running.child.stdin?.end(input);
  return running;
}

/**
 * Runs a command such as `restore`, which is never sent to a running portal, in the process of the test. That saves half a
 * second. The result is that of `runOperator`. Paths of keys must be absolute.
 */
export async function runLocalCommand(args: readonly string[], { cwd, env }: Place): Promise<Output> {
  let config: Config | null = null;
  try {
    const parsed = parseCommandLine(localCommands, args);
    const command = 'help' in parsed ? undefined : localCommands.find((each) => each === parsed.command);
    if ('help' in parsed || command === undefined) throw new Error(`${args.join(' ')} shows help`);
    const stdout = await command.run(
      { readConfig: () => (config = readConfig({ ...SPAWN_ENV, ...env })) },
      parsed.values,
      { ...parsed.call, folder: cwd },
    );
    return { stdout: `${stdout}\n`, stderr: '' };
  } catch (error) {
    const line = describeFailure(error, config);
    if (line === null) throw error;
    throw Object.assign(new Error(line), { code: 1, stdout: '', stderr: `${line}\n` });
  }
}
