// What the commands of the operator's tool share: their arguments, and the error of one that is typed wrongly.

/** A command that cannot be carried out as typed; the message says why. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Whether `name` is among the arguments, and the others. */
export function takeFlag(args: readonly string[], name: string): { flag: boolean; rest: string[] } {
  return { flag: args.includes(name), rest: args.filter((arg) => arg !== name) };
}
