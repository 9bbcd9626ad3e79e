// Parses the arguments of operator commands. Defines the error for a wrong command line.

/** Thrown if a command cannot be run as typed. The message has the reason. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Looks for the flag `name` in `args`. `flag` is true if the flag is there; `rest` has the other arguments. */
export function takeFlag(args: readonly string[], name: string): { flag: boolean; rest: string[] } {
  return { flag: args.includes(name), rest: args.filter((arg) => arg !== name) };
}
