// Parses the arguments of operator commands. Defines the error for a wrong command line.
import { knownEmail } from '@portal/contract';
import { AppError } from '../app-error.ts';

/** Thrown if a command cannot be run as typed. The message has the reason. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Looks for the flag `name` in `args`. `flag` is true if the flag is there; `rest` has the other arguments. */
export function takeFlag(args: readonly string[], name: string): { flag: boolean; rest: string[] } {
  return { flag: args.includes(name), rest: args.filter((arg) => arg !== name) };
}

/**
 * Looks for the option `name` and its value in `args`. `value` is undefined if the option is not there, and empty if it
 * has no value; `rest` has the other arguments.
 */
export function takeOption(
  args: readonly string[],
  name: string,
): { value: string | undefined; rest: string[] } {
  const at = args.indexOf(name);
  if (at === -1) return { value: undefined, rest: [...args] };
  return { value: args[at + 1] ?? '', rest: args.filter((_arg, index) => index !== at && index !== at + 1) };
}

/** Returns the only argument, an e-mail address. @throws OperatorError if the arguments are anything else. */
export function readEmail(args: readonly string[]): string {
  const parsed = knownEmail.safeParse(args[0]);
  if (!parsed.success || args.length !== 1) {
    throw new OperatorError(
      `Name one e-mail address, such as name@example.org (got: ${args.join(' ') || 'nothing'}).`,
    );
  }
  return parsed.data;
}

/** Throws a refusal of the portal as an error for the operator. Any other error is thrown as it is. */
export function rethrowForOperator(error: unknown): never {
  throw error instanceof AppError ? new OperatorError(error.message) : error;
}
