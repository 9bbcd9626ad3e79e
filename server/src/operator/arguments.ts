// Parsing of arguments, and the error for a wrong command line, shared by all operator commands.

/** A command that cannot be run as typed. The message says why. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Returns whether `args` contains `name`, and the other arguments. */
export function takeFlag(args: readonly string[], name: string): { flag: boolean; rest: string[] } {
  return { flag: args.includes(name), rest: args.filter((arg) => arg !== name) };
}
