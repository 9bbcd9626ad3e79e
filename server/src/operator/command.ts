// Declares operator commands, and checks the values of a call. Both script/portal and the running portal check them,
// because the running portal may be of another version.
import * as z from 'zod/mini';
import { AppError } from '../app-error.ts';
import type { UploadTools, WorkTools } from '../bulk/run-bulk.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';

/** Thrown if a command cannot be run as typed. The message has the reason. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** An argument or an option of a command. */
export type Field<Schema extends z.core.$ZodType = z.core.$ZodType> = {
  /** As the operator types it: `<e-mail>`, `[file.csv]` if it may be missing, `--force`, `--role <role>`. */
  form: string;
  help: string;
  /** Checks the value: undefined if the operator did not give it, and true for an option that takes no value. */
  schema: Schema;
  /** The beginning of the error message for an invalid value: which values are valid. */
  wanted: string;
  /** True for an option that may be given several times. Its value is a list. */
  repeats?: boolean;
  /** True for an argument that names a CSV file. script/portal reads the file and sends its text with the call. */
  isFile?: boolean;
};
type Fields = Record<string, Field>;

type Declared<Takes extends Fields> = {
  /** One word, or two such as `admin add`. */
  name: string;
  summary: string;
  /**
   * Arguments and options, checked in this order. The key of an option is its name in camel case: `--dry-run` is
   * `dryRun`.
   */
  takes: Takes;
};

/** A command without the function that runs it. script/portal needs this to parse its command line. */
export type Declaration = Declared<Fields>;

/** A call of a command: its name, its arguments in order, and its options by their names. */
export type Call = { command: string; args: string[]; options: Record<string, string | string[] | true> };

/**
 * A call as sent to the running portal. `file` is the CSV file in the arguments, which script/portal has read: the
 * running portal may have another working folder. `folder` is the folder in which the operator called script/portal;
 * other file names are relative to it.
 */
export type OperatorRequest = Call & {
  folder: string;
  file?: { name: string; text: string } | undefined;
};

/** A command. `run` gets the checked values of the arguments and options by their names, and returns the output. */
export type Command<Tools, Values = Record<string, unknown>> = Declaration & {
  run(tools: Tools, values: Values, request: OperatorRequest): Promise<string>;
};

type Values<Takes extends Fields> = { [Name in keyof Takes]: z.output<Takes[Name]['schema']> };
type Declare<Tools> = <Takes extends Fields>(
  command: Declared<Takes> & Command<Tools, Values<Takes>>,
) => Command<Tools>;

/**
 * Declares a command that the running portal executes on the embedded database. Otherwise script/portal executes it.
 */
export const portalCommand: Declare<OperatorTools> = (command) => command;

/** Declares a command that script/portal always executes itself, for example because there may be no database yet. */
export const localCommand: Declare<LocalTools> = (command) => command;
export type LocalTools = { readConfig: () => Config };

/** Dependencies of the commands. */
export type OperatorTools = {
  db: Database;
  /** Imports a file, or checks it in a dry run. */
  uploadTools: UploadTools & WorkTools;
  /**
   * Creates a new signing key and returns its id. With `revoke`, the portal refuses tokens signed with an older key.
   * Null if the sign-in service is hosted.
   */
  rotateKeys: ((options: { revoke: boolean }) => Promise<string>) | null;
  /** The addresses in ADMIN_EMAILS. */
  adminEmails: readonly string[];
  /** IANA name of the portal's time zone. */
  timeZone: string;
};

/** A text that is not empty. Refuses a text that begins with a hyphen, because it may be a misplaced option. */
export const text = z.string().check(z.regex(/^[^-]/));

/** Declares an option without a value. Its value is true or false. */
export function flag(form: string, help: string): Field<z.ZodMiniType<boolean>> {
  return { form, help, schema: z._default(z.boolean(), false), wanted: `${form} takes no value` };
}

/** Returns the arguments and options as they are typed, such as `<e-mail> [--role <role>]`. */
export function describeUsage({ takes }: Declaration): string {
  const fields = Object.values(takes);
  const args = fields.filter((field) => !isOption(field)).map(({ form }) => form);
  const options = fields.filter(isOption).map(({ form, schema, repeats }) => {
    const mayMiss = z.safeParse(schema, undefined).success;
    return `${mayMiss ? `[${form}]` : form}${repeats ? ' …' : ''}`;
  });
  return [...args, ...options].join(' ');
}

export const isOption = ({ form }: Field): boolean => form.startsWith('--');

/** Returns the error for a value that the command refuses. `got` is what the operator typed. */
export function refuseValue(command: Declaration, { wanted }: Field, got: string): OperatorError {
  const usage = `script/portal ${command.name} ${describeUsage(command)}`;
  return new OperatorError(`${wanted} (got: ${got}): ${usage}`);
}

/**
 * Returns the checked values of a call by the names of the arguments and options.
 * @throws OperatorError if an option is unknown, or a value is missing, invalid or one too many.
 */
export function readValues(command: Declaration, { args, options }: Call): Record<string, unknown> {
  const fields = Object.entries(command.takes);
  const unknown = Object.keys(options).find(
    (name) => !fields.some((field) => field[0] === name && isOption(field[1])),
  );
  if (unknown !== undefined)
    throw new OperatorError(`script/portal ${command.name}: unknown option '${unknown}'.`);
  const surplus = [...args];
  const values = fields.map(([name, field]) => {
    const given = isOption(field) ? options[name] : surplus.shift();
    const parsed = z.safeParse(field.schema, given);
    if (!parsed.success) throw refuseValue(command, field, [given ?? 'nothing'].flat().join(' '));
    return [name, parsed.data];
  });
  if (surplus.length > 0) throw refuseArguments(command, args);
  return Object.fromEntries(values);
}

function refuseArguments(command: Declaration, args: readonly string[]): OperatorError {
  const fields = Object.values(command.takes);
  const argument = fields.find((field) => !isOption(field));
  if (argument) return refuseValue(command, argument, args.join(' '));
  const forms = fields.map(({ form }) => form).join(', ');
  const takes = forms === '' ? 'nothing' : `${forms} and nothing more`;
  return new OperatorError(`${command.name} takes ${takes} (got: ${args.join(' ')}).`);
}

/** Throws an AppError as an OperatorError, and any other error as it is. */
export function rethrowForOperator(error: unknown): never {
  throw error instanceof AppError ? new OperatorError(error.message) : error;
}
