// What the operator can do from the shell; the same whether the portal runs or not.
import { email as emailField } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { setAdmin } from '../usecases/set-admin.ts';

/** What a command needs of the portal that it works on. */
export type OperatorTools = { db: Database };

type Command = {
  usage: string;
  summary: string;
  run(tools: OperatorTools, args: readonly string[]): Promise<string>;
};

/** A command that cannot be carried out as typed; the message says why. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

const commands: Record<string, Command> = {
  'admin add': {
    usage: 'admin add <e-mail>',
    summary: 'make an address an administrator',
    run: async ({ db }, args) => {
      const email = readEmail(args);
      const changed = await setAdmin(db, { email, admin: true });
      return changed ? `${email} is now an administrator.` : `${email} is an administrator already.`;
    },
  },
  'admin remove': {
    usage: 'admin remove <e-mail>',
    summary: 'take the administrator’s role away from an address',
    run: async ({ db }, args) => {
      const email = readEmail(args);
      const changed = await setAdmin(db, { email, admin: false });
      return changed ? `${email} is no longer an administrator.` : `${email} was no administrator.`;
    },
  },
};

/** The help text; of one command when `args` names one. */
export function describeCommands(args: readonly string[] = []): string {
  const words = args.filter((word) => !word.startsWith('-')).join(' ');
  const listed = Object.entries(commands).filter(
    ([name]) => words === '' || words.startsWith(name) || name.startsWith(words),
  );
  const shown = listed.length > 0 ? listed : Object.entries(commands);
  const lines = shown.map(([, { usage, summary }]) => `  script/portal ${usage.padEnd(28)} ${summary}`);
  return ['Usage:', ...lines].join('\n');
}

/** Runs the command that `args` spell. @throws OperatorError when there is none, or its arguments are wrong. */
export async function runCommand(tools: OperatorTools, args: readonly string[]): Promise<string> {
  const command = commands[args.slice(0, 2).join(' ')];
  if (command === undefined) {
    throw new OperatorError(`Unknown command: ${args.join(' ') || '(none)'}\n${describeCommands()}`);
  }
  return command.run(tools, args.slice(2));
}

function readEmail(args: readonly string[]): string {
  const parsed = emailField.safeParse(args[0]);
  if (!parsed.success || args.length !== 1) {
    throw new OperatorError(
      `Name one e-mail address, such as name@example.org (got: ${args.join(' ') || 'nothing'}).`,
    );
  }
  return parsed.data;
}
